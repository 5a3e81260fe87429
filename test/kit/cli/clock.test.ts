import { describe, expect, it } from 'vitest'
import { beside, CUSTOMER, type Received } from './emulator-support.ts'

const { emulator, receiver, run } = beside()

describe('switchhook clock', () => {
  it('shows the time, moves it forward, sets it, and resets it', async () => {
    expect((await run(['clock'])).stdout).toMatch(/^now {4}\d{4}-.*Z\nahead {2}0s\n$/)
    expect((await run(['clock', '+25h'])).stdout).toMatch(/\nahead {2}25h\n$/)
    expect((await run(['clock', '+90s'])).stdout).toMatch(/\nahead {2}25h 1m 30s\n$/)
    const set = await run(['clock', 'set', '2020-03-04T09:00:00Z', '--json'])
    expect(JSON.parse(set.stdout).now).toMatch(/^2020-03-04T09:00:0/)
    expect((await run(['clock', 'show'])).stdout).toMatch(/\nahead {2}-\d+h/)
    expect((await run(['clock', 'reset'])).stdout).toMatch(/\nahead {2}0s\n$/)
  })

  it('notifies the app of the new time at once, by repeating a delivery', async () => {
    const { stdout } = await run(['clock', '+1h', '--json'])
    expect(receiver().received).toEqual([])
    expect(stdout).toMatch(/^\{"now":.*\}\n$/)
    await emulator().customer(CUSTOMER).says('hello')
    await emulator().deliveries.wait(({ state }) => state === 'delivered')
    for (const [change, offset] of [
      ['+24h', 25],
      ['reset', 0],
    ] as const) {
      expect((await run(['clock', change])).stderr).toBe('')
      const { headers } = receiver().received.at(-1) as Received
      expect(Math.round(Number(headers['x-emulator-clock-offset']) / 3_600_000)).toBe(offset)
    }
    const ids = receiver().received.map(({ headers }) => headers['x-service-delivery'])
    expect([ids.length, new Set(ids).size]).toEqual([3, 1])
  })

  it('exits with 2 for an invalid change, and moves nothing', async () => {
    for (const args of [['25h'], ['+'], ['+soon'], ['set'], ['set', 'later'], ['reset', 'now'], ['+1h', '+2h']]) {
      const { code, stdout, stderr } = await run(['clock', ...args])
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toMatch(/^switchhook: [^\n]+\n$/)
    }
    const answer = await fetch(`${emulator().url}/_emulator/clock`)
    expect(await answer.json()).toMatchObject({ offsetMs: 0 })
  })
})
