import { expect, it, onTestFinished } from 'vitest'
import type { Timers } from '../../../src/base/clock.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { botOn } from '../inbox/bot.ts'

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
  const { bot, post } = botOn({ overrides: { timers, open: () => ({ ...store, close: async () => {} }) } })
  bot.otherwise(async (ctx) => {
    heard.push(ctx.message.text)
    await new Promise(() => {})
  })
  await bot.start()
  const answer = await post()
  await bot.stop({ drain: 0 })
  expect(answer.status).toBe(200)
  expect(heard).toEqual([])
  expect((await store.counts()).items).toEqual({ stored: 1 })
  expect(await store.listDeliveries({ limit: 1 })).toMatchObject({ deliveries: [{ items: [{ attempts: 0 }] }] })
})
