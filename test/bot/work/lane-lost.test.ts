import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { assemble } from '../../../src/bot/bot.ts'
import { signDelivery } from '../../../src/bot/switchhook.ts'
import { internalsOf } from '../../../src/bot/in/bot-internals.ts'
import type { Settlement } from '../../../src/store/types/types.ts'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'

const BODY = JSON.stringify({
  event: 'message.received',
  data: { id: 'msg-1', from: '255712000101', message_type: 'text', content: 'hi', created_at: '2026-03-04T09:15:21Z' },
})

it('no handler begins behind a read that outlasted its lease, if another process has the lane by then [R DEL-03, F-55]', async () => {
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  const reading = Promise.withResolvers<void>()
  const asked = vi.fn()
  const settled: Settlement[] = []
  let passed = 0
  const slow: Store = {
    ...store,
    async customerOf(...who) {
      asked()
      await reading.promise
      return store.customerOf(...who)
    },
    async renew() {
      return asked.mock.calls.length === 0
    },
    async settleItem(...asked) {
      settled.push(asked[2])
      return { hasLease: false, next: undefined }
    },
    close: async () => {},
  }
  const heard = vi.fn()
  const bot = assemble(
    {
      signingSecret: 'one',
      database: ':memory:',
      logger: false,
      session: z.object({ count: z.number().default(0) }),
    },
    { environment: { NODE_ENV: 'production' }, monotonic: () => performance.now() + passed, open: () => slow },
  )
  bot.otherwise((ctx) => heard(ctx.attempt))
  await bot.start()
  onTestFinished(() => bot.stop())
  const headers = signDelivery({
    body: BODY,
    secret: 'one',
    at: new Date(),
    event: 'message.received',
    deliveryId: '1',
  })
  await internalsOf(bot).receive({
    method: 'POST',
    headers: new Headers(Object.entries(headers)),
    readBody: async () => ({ bytes: Buffer.from(BODY) }),
  })
  await expect.poll(() => asked).toHaveBeenCalled()
  // The database is reached again after so many milliseconds.
  passed = 9_000
  reading.resolve()
  await expect.poll(() => settled).toEqual([{ as: 'released', completedHandlers: [] }])
  expect(heard).not.toHaveBeenCalled()
})
