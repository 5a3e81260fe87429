import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { CUSTOMER, send } from './support/api.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER
const DAY_MS = 86_400_000

describe('the window', () => {
  it('is open to the last millisecond of 24 hours, and closed at exactly 24:00:00.000 [E GEN-04]', async () => {
    const time = manualTime()
    await using emulator = await createEmulator({ internals: time })
    await emulator.customer(to).says('Habari')
    time.pass(DAY_MS - 1)
    expect((await send(emulator, { to, text: 'x' })).status).toBe(200)
    time.pass(1)
    expect((await send(emulator, { to, text: 'x' })).json.code).toBe('outside_messaging_window')
  })

  it('accepts a template before the window opened, while it is open and after it closed [E GEN-05]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'welcome', language: 'sw', body: 'Karibu' })
    const template = { to, type: 'template', template_name: 'welcome', template_language: 'sw' }
    expect((await send(emulator, template)).status).toBe(200)
    await emulator.customer(to).says('Habari')
    expect((await send(emulator, template)).status).toBe(200)
    await emulator.clock.advance('25h')
    expect((await send(emulator, { to, text: 'x' })).json.code).toBe('outside_messaging_window')
    expect((await send(emulator, template)).status).toBe(200)
  })

  it('shows a refused send in the thread, with the code and no message of the service [E GEN-04]', async () => {
    await using emulator = await createEmulator()
    await send(emulator, { to, text: 'Karibu' })
    expect(await emulator.customer(to).thread()).toMatchObject([
      {
        direction: 'OUTBOUND',
        kind: 'text',
        text: 'Karibu',
        refused: { status: 409, code: 'outside_messaging_window' },
      },
    ])
  })
})
