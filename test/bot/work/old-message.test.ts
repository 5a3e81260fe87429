import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { DAY, delivery, ingested, item, LEASE_MS, T0 } from '../../store/samples.ts'
import { botOn } from '../inbox/bot.ts'

it.each([
  ['is given up after its first failure', 'dead', false],
  ['is tried again, if a process lives whose clock is behind: it may have come just now', 'done', true],
] as const)('a message of the day before %s [F-61]', async (_what, state, isBeside) => {
  const store = openSqlite(':memory:')
  onTestFinished(() => store.close())
  if (isBeside) await store.renew('behind', () => T0, LEASE_MS)
  await store.accept(delivery(), { ingested: ingested(item()) })
  const { bot } = botOn({
    options: { clock: () => new Date(T0 + DAY + 1) },
    overrides: {
      monotonic: () => performance.now(),
      random: () => 0,
      open: () => ({ ...store, close: async () => {} }),
    },
  })
  bot.otherwise((ctx) => {
    if (ctx.attempt === 1) throw new Error('x')
  })
  await bot.start()
  await expect.poll(async () => (await store.counts()).items[state]).toBe(1)
})
