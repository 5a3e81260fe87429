import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Store } from '../../../src/store/store.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { botOn } from '../inbox/bot.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

it('no handler begins behind a read that outlasted its lease, if another process took over by then [R DEL-03, F-55]', async () => {
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
      return { stands: false, next: undefined }
    },
    close: async () => {},
  }
  const heard = vi.fn()
  const { bot, post } = botOn({
    options: { session: z.object({ count: z.number().default(0) }) },
    overrides: { monotonic: () => performance.now() + passed, open: () => slow },
  })
  bot.otherwise((ctx) => heard(ctx.attempt))
  await bot.start()
  await post()
  await expect.poll(() => asked).toHaveBeenCalled()
  // The database is reached again after so many milliseconds.
  passed = 9_000
  reading.resolve()
  await expect.poll(() => settled).toEqual([{ as: 'released', completedHandlers: [] }])
  expect(heard).not.toHaveBeenCalled()
})
