import { expect, it } from 'vitest'
import { deskChanges } from '../../../src/features/people/store/chat.ts'
import { ASHA } from '../../store/samples.ts'

/** The statements of one call, over a database whose newest rows are these. */
function statementsOf(newest: { version: string; item: number; send: number; people: number }, open: number): number {
  const since = { version: 'before', seen: 'before', item: 1, send: 1, people: 1 }
  const chats = Array.from({ length: open }, (_, nth) => ({ number: `number ${nth}`, customer: ASHA }))
  const steps = deskChanges(since, chats)
  let count = 0
  for (let step = steps.next(); !step.done; count++)
    step = steps.next({ rows: count === 0 ? [newest] : [], changes: 0 })
  return count
}

it.each([0, 1, 50])(
  'the question of a process with open desks is one statement while nothing is committed, and five for a change, beside %i open chats',
  (open) => {
    const newest = { item: 2, send: 2, people: 2 }
    expect(statementsOf({ ...newest, version: 'before' }, open)).toBe(1)
    expect(statementsOf({ ...newest, version: 'after' }, open)).toBe(open === 0 ? 4 : 5)
  },
)
