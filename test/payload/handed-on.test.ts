import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { assemble } from '../../src/app/bot.ts'
import { signDelivery } from '../../src/index.ts'
import { internalsOf } from '../../src/receive/bot-internals.ts'

it('hands the payload of an event on as ctx.json, of the type that was recorded for it [R EVT-05]', async () => {
  const bot = assemble({ signingSecret: 'one', database: ':memory:', logger: false }, { environment: {} })
  const seen: unknown[] = []
  bot.on('order.created', (ctx) => void seen.push(ctx.json))
  await bot.start()
  try {
    const json = { event: 'order.created', data: { id: 'o-1', total: 12 } }
    const body = JSON.stringify(json)
    const headers = Object.entries(
      signDelivery({ body, secret: 'one', at: new Date(), event: json.event, deliveryId: randomUUID() }),
    ).map(([name, value]) => [name.toLowerCase(), value])
    await internalsOf(bot).receive({
      method: 'POST',
      headers: Object.fromEntries(headers),
      readBody: async () => ({ bytes: Buffer.from(body) }),
    })
    await vi.waitFor(() => expect(seen).toEqual([json]))
  } finally {
    await bot.stop({ drain: 0 })
  }
})
