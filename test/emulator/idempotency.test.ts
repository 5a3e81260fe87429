import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { arrived, codeSend, CUSTOMER, openEmulator, send } from './support/api.ts'
import { manualTime } from './support/time.ts'

const to = CUSTOMER
const key = { 'Idempotency-Key': 'order-7781-ready' }

describe('an idempotency key', () => {
  it('replays the original answer under a settled key and sends nothing again, unlike without a key [E IDEM-01 IDEM-03]', async () => {
    await using emulator = await openEmulator()
    const first = await send(emulator, { to, text: 'Karibu' }, key)
    const again = await send(emulator, { to, text: 'Karibu' }, key)
    expect(first.headers.get('Idempotency-Replayed')).toBeNull()
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(await arrived(emulator)).toBe(1)
    for (let n = 0; n < 2; n++) await send(emulator, { to, text: 'Karibu' })
    expect(await arrived(emulator)).toBe(3)
  })

  it('is refused with 422 under another body, settled or in flight [E IDEM-04]', async () => {
    const time = manualTime()
    await using emulator = await openEmulator({ internals: time, assumptions: { upstreamMs: 100 } })
    const first = send(emulator, { to, text: 'Karibu' }, key)
    await until(() => time.running > 0)
    const reused = { status: 422, json: { code: 'idempotency_key_reused' } }
    expect(await send(emulator, { to, text: 'Kwaheri' }, key)).toMatchObject(reused)
    time.pass(100)
    expect((await first).status).toBe(200)
    expect(await send(emulator, { to, text: 'Kwaheri' }, key)).toMatchObject(reused)
    expect(await arrived(emulator)).toBe(1)
  })

  it('answers 409 to a repeat while the first is in flight, then replays it [E IDEM-02]', async () => {
    const time = manualTime()
    await using emulator = await openEmulator({ internals: time, assumptions: { upstreamMs: 100 } })
    const first = send(emulator, { to, text: 'Karibu' }, key)
    await until(() => time.running > 0)
    const repeats = await Promise.all(Array.from({ length: 20 }, () => send(emulator, { to, text: 'Karibu' }, key)))
    for (const repeat of repeats)
      expect(repeat).toMatchObject({ status: 409, json: { code: 'idempotency_in_progress' } })
    time.pass(100)
    const answer = await first
    expect((await send(emulator, { to, text: 'Karibu' }, key)).text).toBe(answer.text)
    expect(await arrived(emulator)).toBe(1)
    expect((await emulator.customer(to).thread()).filter((item) => item.refused)).toEqual([])
  })

  it('is released by a send that fails: the next one is a real attempt [E IDEM-05]', async () => {
    await using emulator = await createEmulator()
    expect((await send(emulator, { to, text: 'Karibu' }, key)).status).toBe(409)
    await emulator.customer(to).says('Habari')
    const real = await send(emulator, { to, text: 'Karibu' }, key)
    expect([real.status, real.headers.get('Idempotency-Replayed')]).toEqual([200, null])
    expect(await arrived(emulator)).toBe(1)
  })

  it('is remembered for 24 hours, by the emulator’s clock [E IDEM-03]', async () => {
    const time = manualTime()
    await using emulator = await openEmulator({ internals: time })
    const first = await send(emulator, { to, text: 'Karibu' }, key)
    await emulator.clock.advance(86_400_000 - 1)
    await emulator.customer(to).says('Bado upo?')
    expect((await send(emulator, { to, text: 'Karibu' }, key)).json.id).toBe(first.json.id)
    await emulator.clock.advance('1ms')
    expect((await send(emulator, { to, text: 'Karibu' }, key)).json.id).not.toBe(first.json.id)
  })

  it('is forgotten when the request settles, with a switch [E IDEM-03]', async () => {
    await using emulator = await openEmulator({ assumptions: { keysRememberedFor: 'until_settled' } })
    const first = await send(emulator, { to, text: 'Karibu' }, key)
    const again = await send(emulator, { to, text: 'Karibu' }, key)
    expect(again.headers.get('Idempotency-Replayed')).toBeNull()
    expect(again.json.id).not.toBe(first.json.id)
    expect(await arrived(emulator)).toBe(2)
  })

  it('in the literal reading is known for 24 hours if a one-time code was sent, and else forgotten [E IDEM-03 IDEM-09 OTP-08]', async () => {
    await using emulator = await openEmulator({ assumptions: { keysRememberedFor: 'literal' } })
    expect(await repeatsReplayed(emulator)).toEqual({ code: true, text: false })
    const own = { 'Idempotency-Key': 'login/1' }
    expect((await send(emulator, codeSend('482914'), own)).json.code).toBe('idempotency_key_reused')
    await emulator.clock.advance('24h')
    expect((await send(emulator, codeSend('482913'), own)).headers.has('Idempotency-Replayed')).toBe(false)
  })

  it('in the reverse of it is forgotten once a code is sent, and else known for 24 hours [E IDEM-09]', async () => {
    await using emulator = await openEmulator({ assumptions: { keysRememberedFor: 'codes_until_settled' } })
    expect(await repeatsReplayed(emulator)).toEqual({ code: false, text: true })
  })
})

/** Whether the second of two equal sends is a replay: of a one-time code under `login/1`, and of a text. */
async function repeatsReplayed(emulator: Emulator): Promise<{ code: boolean; text: boolean }> {
  await emulator.templates.add({ name: 'code', language: 'sw', category: 'AUTHENTICATION' })
  const isRepeated = async (body: object, headers: Record<string, string>) => {
    const first = await send(emulator, body, headers)
    expect(first.headers.has('Idempotency-Replayed')).toBe(false)
    return (await send(emulator, body, headers)).headers.get('Idempotency-Replayed') === 'true'
  }
  const code = await isRepeated(codeSend('482913'), { 'Idempotency-Key': 'login/1' })
  return { code, text: await isRepeated({ to, text: 'a' }, key) }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
