import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { arrived, control, CUSTOMER, openEmulator, send } from './support/api.ts'
import { startApp } from './support/app.ts'

const to = CUSTOMER

/** The statuses of so many sends, one after the other. */
async function statusesOf(emulator: Emulator, count: number): Promise<number[]> {
  const seen: number[] = []
  for (let n = 0; n < count; n++) seen.push((await send(emulator, { to, text: 'x' })).status)
  return seen
}

describe('faults', () => {
  it('answer with the service’s own error for a status, and send nothing [E SEND-22]', async () => {
    await using emulator = await openEmulator()
    const codes = {
      429: 'rate_limited',
      500: 'internal_error',
      502: 'send_failed',
      503: 'internal_error',
      402: 'plan_feature_locked',
    }
    for (const [status, code] of Object.entries(codes)) {
      await emulator.faults.set([{ on: 'send', do: 'status', status: Number(status), next: 1 }])
      const answer = await send(emulator, { to, text: 'Karibu' })
      expect(answer).toMatchObject({ status: Number(status), json: { code, message: expect.any(String) } })
      expect(Object.keys(answer.json).sort()).toEqual(['code', 'message'])
    }
    expect(await arrived(emulator)).toBe(0)
    expect((await send(emulator, { to, text: 'Karibu' })).status).toBe(200)
  })

  it('apply to the next n, every nth, or one customer, and read back with their remaining counts', async () => {
    await using emulator = await openEmulator()
    const statuses = (count: number) => statusesOf(emulator, count)
    const put = (rules: unknown) => control(emulator, 'PUT', 'faults', { rules })
    const left = async () => (await control(emulator, 'GET', 'faults')).json.rules

    expect((await put([{ on: 'send', do: 'status', status: 429, next: 2 }])).json.rules).toHaveLength(1)
    expect(await statuses(1)).toEqual([429])
    expect(await left()).toEqual([{ on: 'send', do: 'status', status: 429, next: 1 }])
    expect(await statuses(2)).toEqual([429, 200])
    expect(await left()).toEqual([])

    await put([{ on: 'send', do: 'status', status: 500, every: 3 }])
    expect(await statuses(6)).toEqual([200, 200, 500, 200, 200, 500])

    await put([{ on: 'send', do: 'status', status: 500, to: '254700000102' }])
    expect(await statuses(2)).toEqual([200, 200])
    await put([{ on: 'send', do: 'status', status: 500 }])
    expect(await statuses(2)).toEqual([500, 500])
    await emulator.faults.clear()
    expect(await statuses(1)).toEqual([200])
  })

  it('continue counting to their nth if another one is armed beside them', async () => {
    await using emulator = await openEmulator()
    const third = { on: 'send', do: 'status', status: 429, every: 3 } as const
    const statuses = (count: number) => statusesOf(emulator, count)
    await emulator.faults.set([third])
    expect(await statuses(2)).toEqual([200, 200])
    await emulator.faults.set([{ on: 'send', do: 'status', status: 500, to: '254700000102' }, third])
    expect(await statuses(4)).toEqual([429, 200, 200, 429])
    await emulator.faults.clear()
    await emulator.faults.set([third])
    expect(await statuses(3)).toEqual([200, 200, 429])
  })

  it('lose the app’s answer to a delivery, so that it arrives again under the same id [E DEL-08]', async () => {
    await using app = await startApp()
    await using emulator = await createEmulator({ webhook: app.url })
    await emulator.faults.set([{ on: 'delivery', do: 'lose_answer', next: 1 }])
    await emulator.customer(to).says('Habari')
    const lost = await emulator.deliveries.wait((delivery) => delivery.attempts.length === 1)
    expect(lost).toMatchObject({ state: 'pending', attempts: [{ status: null, error: 'answer_lost' }] })
    await emulator.clock.advance('1s')
    const again = await emulator.deliveries.wait((delivery) => delivery.state === 'delivered')
    expect(again.id).toBe(lost.id)
    expect(app.received.length).toBe(2)
  })

  it('refuse a senseless rule by its member, and keep armed ones', async () => {
    await using emulator = await openEmulator()
    await emulator.faults.set([{ on: 'send', do: 'status', status: 500 }])
    const bad: [object, RegExp][] = [
      [{ on: 'delivery', do: 'status', status: 500 }, /do/],
      [{ on: 'send', do: 'status' }, /status/],
      [{ on: 'send', do: 'status', status: 200 }, /status/],
      [{ on: 'send', do: 'status', status: 429, code: 'send_failed' }, /status/],
      [{ on: 'send', do: 'lose_answer', status: 500 }, /status/],
      [{ on: 'send', do: 'explode' }, /do/],
      [{ on: 'moon', do: 'status' }, /on/],
      [{ on: 'send', do: 'lose_answer', next: 0 }, /next/],
      [{ on: 'send', do: 'lose_answer', next: 1, every: 2 }, /every/],
      [{ on: 'send', do: 'lose_answer', nxt: 1 }, /nxt/],
      [{ on: 'delivery', do: 'late', by: 'soon' }, /by/],
      [{ on: 'delivery', do: 'duplicate', by: '1m' }, /by/],
    ]
    for (const [rule, where] of bad) {
      const { status, json } = await control(emulator, 'PUT', 'faults', { rules: [rule] })
      expect([status, json.code], JSON.stringify(rule)).toEqual([400, 'invalid_request'])
      expect(json.message).toMatch(where)
      await expect(emulator.faults.set([rule as Record<string, unknown>])).rejects.toMatchObject({
        code: 'options_invalid',
      })
    }
    expect((await send(emulator, { to, text: 'x' })).status).toBe(500)
  })
})
