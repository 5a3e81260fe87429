import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { freePort } from '../support/free-port.ts'

const BOT = resolve(import.meta.dirname, '../../examples/auto-reply/bot.ts')

it('the auto-reply example serves a customer from the first word to the state of an order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-example-'))
  const port = await freePort()
  const emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const child = spawn(process.execPath, ['--conditions=switchhook-source', BOT], {
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      SWITCHHOOK_BASE_URL: emulator.url,
      SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
      SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
      SWITCHHOOK_DATABASE: join(folder, 'bot.db'),
    },
  })
  const customer = emulator.customer('255712000101')
  const answer = (text: string) =>
    vi.waitFor(
      async () =>
        expect((await customer.thread()).findLast((item) => item['direction'] === 'OUTBOUND')?.['text']).toBe(text),
      { timeout: 10_000 },
    )
  try {
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), { timeout: 10_000 })
    await customer.says('good morning')
    await answer('How can we help?')
    await customer.taps('track')
    await answer('Send us the number of your order, for instance 7781.')
    await customer.says('#7781')
    await answer('Order 7781 is ready to be picked up.')
    await customer.says('9999')
    await answer('We know no order 9999.')
    await customer.says('SAA')
    await answer('We are open from 9 to 17, Monday to Saturday.')
  } finally {
    child.kill('SIGKILL')
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
