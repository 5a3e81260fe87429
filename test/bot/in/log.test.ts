import { inspect } from 'node:util'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createClock } from '../../../src/base/clock.ts'
import type { Log } from '../../../src/base/log.ts'
import { createObservers, createReports } from '../../../src/bot/report/reports.ts'
import type { NewDelivery } from '../../../src/store/types/types.ts'
import { botOn } from './bot.ts'
import { internalsOf } from '../../../src/bot/in/bot-internals.ts'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf, MESSAGE, NOW } from './signing.ts'

const UNSIGNED = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` }

describe('the log of refusals', () => {
  it('is one line for a flood, and then a count [F-42]', async () => {
    const service = receiverOn()
    for (let each = 0; each < 100; each++) await service.post(MESSAGE, UNSIGNED)
    expect(service.warnings()).toMatchObject([{ level: 'warn', about: { reason: 'mismatch' } }])
    service.time.now += 10_000
    await service.post(MESSAGE, UNSIGNED)
    expect(service.warnings()).toHaveLength(2)
    expect(service.warnings()[1]).toMatchObject({ about: { reason: 'mismatch', more: 99 } })
  })

  it('is one line for each kind of reason: a flood of forgeries hides nothing else [F-42]', async () => {
    const service = receiverOn()
    for (let each = 0; each < 50; each++) {
      await service.post(MESSAGE, UNSIGNED)
      await service.post(MESSAGE, {})
      await service.post(MESSAGE, { ...UNSIGNED, 'x-service-timestamp': 'now' })
      await service.post(MESSAGE, { ...UNSIGNED, 'x-service-timestamp': ['1', '2'] })
    }
    const reasons = service.warnings().map(({ about }) => about['reason'])
    expect(reasons).toEqual(['mismatch', 'missing', 'malformed', 'repeated'])
  })

  it.each(['too_large'] as const)('is one line for many bodies: %s [F-42]', async (problem) => {
    const service = receiverOn()
    const headers = headersOf(MESSAGE)
    for (let each = 0; each < 100; each++) await service.take({ headers, readBody: async () => ({ problem }) })
    expect(service.warnings().filter(({ about }) => about['reason'] === problem)).toHaveLength(1)
  })
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

  it.each([
    ['retry', undefined],
    ['dead', 'dead'],
  ] as const)(
    'shows no customer’s number or text if the handler’s own error contains them: %s [F-87]',
    async (state, verdict) => {
      const { bot, until, lines } = botOn()
      bot.otherwise((ctx) => {
        throw new Error(`no order of ${ctx.customer} is called "${ctx.message.text}"`)
      })
      bot.onError(() => verdict)
      await bot.start()
      const readBody = async () => ({ bytes: MESSAGE })
      await internalsOf(bot).receive({ method: 'POST', headers: headersOf(MESSAGE), readBody })
      await until('items', state, 1)
      const shown = lines.filter(({ level }) => level !== 'debug').map((line) => JSON.stringify(line))
      expect(shown.join('\n')).toContain('no order of …678 is called')
      expect(shown.join('\n')).not.toMatch(/255712345678|Habari/)
    },
  )

  it.each([
    ['in plain digits', '255712345678'],
    ['as people write it', '+255 712 345-678'],
  ])(
    'shows no customer’s number or text if onError fails itself and names them, a number %s [F-87]',
    async (_how, number) => {
      const { bot, until, lines } = botOn()
      bot.otherwise(() => {
        throw new Error(`no order of ${number}`)
      })
      bot.onError((_error, ctx) => {
        throw new TypeError(`cannot tell the office what ${number} wrote: "Habari" (${ctx.attempt})`)
      })
      await bot.start()
      const readBody = async () => ({ bytes: MESSAGE })
      await internalsOf(bot).receive({ method: 'POST', headers: headersOf(MESSAGE), readBody })
      await until('items', 'retry', 1)
      const shown = lines.filter(({ level }) => level !== 'debug').map((line) => inspect(line, { depth: 9 }))
      expect(shown.join('\n')).toContain('cannot tell the office what')
      expect(shown.join('\n')).toContain('TypeError')
      expect(shown.join('\n')).not.toMatch(/255\D?712|345\D?678|Habari/)
    },
  )

  it('does not depend on the logger: one that throws does not turn the answer into an error [R SIG-09]', async () => {
    const broken = () => {
      throw new Error('the worker has exited')
    }
    const log: Log = { debug: broken, info: broken, warn: broken, error: broken }
    const { bot, until } = botOn({ options: { logger: log } })
    await bot.start()
    const post = (headers: Record<string, string>) =>
      internalsOf(bot).receive({ method: 'POST', headers, readBody: async () => ({ bytes: MESSAGE }) })
    expect(await post(headersOf(MESSAGE))).toMatchObject(ACCEPTED)
    expect(await post(headersOf(MESSAGE))).toMatchObject({ status: 200 })
    expect(await post({})).toMatchObject({ status: 401 })
    await until('deliveries', 'ignored', 1)
  })
})
