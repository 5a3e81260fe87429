import { expect, it, onTestFinished } from 'vitest'
import { assemble } from '../../../src/bot/bot.ts'
import type { Timers } from '../../../src/base/clock.ts'
import { signDelivery } from '../../../src/bot/switchhook.ts'
import { internalsOf } from '../../../src/bot/in/bot-internals.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'

const BODY = JSON.stringify({
  event: 'message.received',
  data: { id: 'msg-1', from: '255712000101', message_type: 'text', content: 'hi', created_at: '2026-03-04T09:15:21Z' },
})

/** Work that takes no time at all ends at once, and time passes a hundred times faster. */
const timers: Timers = {
  after(ms, run) {
    if (ms === 0) queueMicrotask(run)
    const timer = ms === 0 ? undefined : setTimeout(run, ms / 100)
    return () => clearTimeout(timer)
  },
}

it('a stop whose time is over between the answer to a delivery and its handler gives the attempt back, and no handler starts [F-58]', async () => {
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  const heard: unknown[] = []
  const bot = assemble(
    { signingSecret: 'one', database: ':memory:', logger: false },
    { environment: {}, timers, open: () => ({ ...store, close: async () => {} }) },
  )
  bot.otherwise(async (ctx) => {
    heard.push(ctx.message.text)
    await new Promise(() => {})
  })
  await bot.start()
  const headers = signDelivery({
    body: BODY,
    secret: 'one',
    at: new Date(),
    event: 'message.received',
    deliveryId: '01JBADGERS0000000000000001',
  })
  const answer = await internalsOf(bot).receive({
    method: 'POST',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    readBody: async () => ({ bytes: Buffer.from(BODY) }),
  })
  await bot.stop({ drain: 0 })
  expect(answer.status).toBe(200)
  expect(heard).toEqual([])
  expect((await store.counts()).items).toEqual({ stored: 1 })
  expect(await store.listDeliveries({ limit: 1 })).toMatchObject({ deliveries: [{ items: [{ attempts: 0 }] }] })
})
