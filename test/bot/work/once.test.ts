import { expect, it } from 'vitest'
import { AttemptClock } from '../../../src/bot/work/running-attempt.ts'
import { once } from '../../../src/bot/work/attempt-effects.ts'
import type { Store } from '../../../src/store/store.ts'
import { manualTime } from '../../emulator/support/time.ts'
import type { StartedItem } from '../../../src/store/work/items.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'

const fence: Fence = { lane: 'shop/255712000101', of: 7, owner: 1, run: 1 }
const item = { id: 7 } as StartedItem

it('the result of a once is handed on as JSON gives it back, and not at all if the item was freed meanwhile: another attempt decides [R DEL-03, F-55]', async () => {
  let holds = true
  const kept: unknown[] = []
  const store = {
    onceResult: async () => undefined,
    async keepOnce(...given: readonly unknown[]) {
      kept.push(given)
      return holds
    },
  } as unknown as Store
  const time = manualTime()
  const clock = new AttemptClock(30_000, time.timers, () => 0, { given: false, end: () => {} })
  const run = () =>
    once({ item, fence, clock }, { store }, 'charge', () => ({ at: '1970-01-01T00:00:00.000Z', gone: undefined }))
  expect(await run()).toEqual({ at: '1970-01-01T00:00:00.000Z' })
  expect(kept).toEqual([[fence, 7, 'charge', '[{"at":"1970-01-01T00:00:00.000Z"}]']])
  holds = false
  await expect(run()).rejects.toMatchObject({ code: 'attempt_over' })
})
