import { describe, expect, it } from 'vitest'
import { happens } from '../../../support/turn.ts'
import { openWorld } from '../../../support/virtual-world.ts'
import { foreignPayload } from './foreign.ts'

/** `SHAPES=2000 SEED=7 npx vitest run test/bot/inbox/payload/foreign.test.ts` plays others. */
const SHAPES = Number(process.env['SHAPES'] ?? 40)
const FIRST = (Number(process.env['SEED']) || 1) * 1_000_000

describe('payloads of a service that nobody has seen', () => {
  it(`of ${SHAPES} shapes: each message is handled with its text and customer, or parked with the reason [R EVT-02]`, async () => {
    for (let seed = FIRST; seed < FIRST + SHAPES; seed++) {
      const { shape, event, facts, body, said, strangers, unclear } = foreignPayload(seed)
      const handled: string[] = []
      await using world = await openWorld(
        (bot) => {
          bot.otherwise((ctx) => void handled.push(`${ctx.customer}: ${ctx.message.text}`))
          bot.on('message.status', (ctx) => void handled.push(ctx.status))
        },
        { options: { facts: { [event]: facts } } },
      )
      await happens(world, event, body)
      await world.settled()
      const { deliveries } = await world.store().listDeliveries({ limit: 9 })
      const parked = deliveries.flatMap(({ items }) => items.filter(({ state }) => state === 'parked'))
      const reasons = parked.map(({ reason }) => String(reason))
      if (unclear !== undefined) {
        expect({ shape, handled, reasons }).toEqual({ shape, handled: [], reasons: [expect.stringContaining(unclear)] })
        continue
      }
      const wanted = event === 'message.status' ? said.map((one) => one.replace(/.*: /, '')) : said
      expect({ shape, reasons, handled: handled.sort() }, JSON.stringify(body)).toEqual({
        shape,
        reasons: Array.from({ length: strangers }, () => 'fact_missing: customer'),
        handled: wanted.toSorted(),
      })
    }
  })
})
