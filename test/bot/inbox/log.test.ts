import { inspect } from 'node:util'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import type { Log } from '../../../src/base/log.ts'
import { createObservers } from '../../../src/bot/report/observers.ts'
import { createReports } from '../../../src/bot/report/reports.ts'
import { botOn } from './bot.ts'
import { type Line, recordedLog } from './log.ts'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE, NOW } from './signing.ts'
import type { NewDelivery } from '../../../src/store/inbox/accept.ts'

const UNSIGNED = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` }

it('the log of refusals is one line for each kind of reason in a flood, and then a count, so that forgeries hide nothing else [F-42]', async () => {
  const service = receiverOn()
  const headers = headersOf(MESSAGE)
  for (let each = 0; each < 50; each++) {
    await service.post(MESSAGE, UNSIGNED)
    await service.post(MESSAGE, {})
    await service.post(MESSAGE, { ...UNSIGNED, 'x-service-timestamp': 'now' })
    await service.post(MESSAGE, { ...UNSIGNED, 'x-service-timestamp': ['1', '2'] })
    await service.take({ headers, readBody: async () => ({ problem: 'too_large' }) })
  }
  const reasons = () => service.warnings().map(({ about }) => about['reason'])
  expect(reasons()).toEqual(['mismatch', 'missing', 'malformed', 'repeated', 'too_large'])
  service.time.now += 10_000
  await service.post(MESSAGE, UNSIGNED)
  expect(service.warnings().at(-1)).toMatchObject({ about: { reason: 'mismatch', more: 49 } })
})

it('the hook alarm is called as often as the log tells it: not once for each copy of a captured delivery [F-42]', async () => {
  const recorded = recordedLog()
  const time = { now: NOW }
  const observers = createObservers(recorded.log)
  const alarms: unknown[] = []
  let replays = 0
  observers.add({ alarm: ({ reason }) => void alarms.push(reason) })
  const clock = createClock(() => new Date(time.now))
  const { receiving } = createReports(recorded.log, clock, observers)
  const flood = () => {
    for (let copy = 0; copy < 1_500; copy++, replays++) {
      const delivery = { deliveryId: `d-${copy}`, event: 'message.received', subscription: 'shop' } as NewDelivery
      receiving.accepted(delivery, 'suspected_replay', 1)
      receiving.unavailable(new Error('disk full'), { timestamp: 1, digest: Buffer.from('x'), ageMs: 0 })
    }
  }
  flood()
  expect(alarms).toEqual(['suspected_replay', 'store_unavailable'])
  time.now += 10_000
  flood()
  expect(alarms).toHaveLength(4)
  expect(recorded.warnings()).toHaveLength(4)
  expect(replays).toBe(3_000)
})

describe('the log of a delivery', () => {
  it('is one line, whatever its headers and body contain [R SIG-09, F-43]', async () => {
    const written: string[] = []
    const log = pino({ level: 'debug' }, { write: (text: string) => void written.push(text) })
    const clock = createClock(() => new Date(NOW))
    const report = createReports(log, clock, createObservers(log)).receiving
    const evil = 'a\r\n{"level":60,"msg":"forged"}\u001B[2J\u0085\u2028'
    const delivery = { deliveryId: evil, event: evil, subscription: evil, unclear: evil } as NewDelivery
    for (const acceptance of ['stored', 'duplicate', 'quarantined', 'conflict', 'suspected_replay'] as const)
      report.accepted(delivery, acceptance, 1)
    expect(written).toHaveLength(5)
    for (const line of written) {
      for (const letter of ['\r', '\n', '\u001B']) expect(line.slice(0, -1)).not.toContain(letter)
      expect(JSON.parse(line)).toMatchObject({ delivery: evil, event: evil })
    }
  })

  const shownOf = (lines: readonly Line[]) =>
    lines
      .filter(({ level }) => level !== 'debug')
      .map((line) => inspect(line, { depth: 9 }))
      .join('\n')

  it('shows no customer’s number or text if onError fails itself and names them, as people write a number [F-87]', async () => {
    const { bot, post, until, lines } = botOn()
    bot.otherwise(() => {
      throw new Error('no order')
    })
    bot.onError(() => {
      throw new TypeError('cannot tell the office what +255 712 345-678 wrote: "Habari"')
    })
    await bot.start()
    await post()
    await until('items', 'retry', 1)
    expect(shownOf(lines)).toContain('TypeError: cannot tell the office what')
    expect(shownOf(lines)).not.toMatch(/255\D?712|345\D?678|Habari/)
  })

  it('has the message of an error redacted, and hooks get the error itself [F-87]', async () => {
    const thrown = new Error('cannot tell the office what 255712345678 wrote: "Habari"')
    const seen: unknown[] = []
    const { bot, post, until, lines } = botOn()
    bot.observe({ failed: ({ error }) => void seen.push(error) })
    bot.otherwise(() => {
      throw thrown
    })
    await bot.start()
    await post()
    await until('items', 'retry', 1)
    expect(seen).toEqual([thrown])
    expect(seen[0]).toBe(thrown)
    expect(shownOf(lines)).not.toMatch(/345678|Habari/)
  })

  it('does not depend on the logger: one that throws does not turn the answer into an error [R SIG-09]', async () => {
    const broken = () => {
      throw new Error('the worker has exited')
    }
    const log: Log = { debug: broken, info: broken, warn: broken, error: broken }
    const { bot, post, until } = botOn({ options: { logger: log } })
    await bot.start()
    expect(await post()).toMatchObject(ACCEPTED)
    expect(await post()).toMatchObject({ status: 200 })
    expect(await post(MESSAGE, {})).toMatchObject({ status: 401 })
    await until('deliveries', 'ignored', 1)
  })
})
