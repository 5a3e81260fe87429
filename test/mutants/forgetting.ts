import type { Mutant } from './driver/mutant.ts'

/** What is not handled after `forget`, clocks that were set, and sends that were not begun. */
export default [
  {
    file: 'src/store/upkeep/forget.ts',
    from: 'yield* endItems(who, fence)',
    to: 'void [endItems, fence]',
    promise: 'LOST-3',
    breaks: 'Nothing that waits when its customer is forgotten begins any more.',
    killedBy: { 'test/store/sqlite.test.ts': 'does not begin any more: in a burst' },
  },
  {
    file: 'src/store/inbox/ingest.ts',
    from: "return yield* execute(sql`UPDATE inbox SET mark = coalesce(mark, 'ignored') WHERE id = ${judged.id}`)",
    to: '',
    promise: 'LOST-3',
    breaks: 'An unread message of a forgotten customer is stored and not handled.',
    killedBy: { 'test/store/sqlite.test.ts': 'does not begin of an unread delivery either' },
  },
  {
    file: 'src/store/upkeep/forget.ts',
    from: 'if (settled.forgotten) yield*',
    to: 'if (Number(settled.forgotten) > 9) yield*',
    promise: 'LOST-3',
    breaks: 'What ran when its customer was forgotten is erased with its end.',
    killedBy: { 'test/store/sqlite.test.ts': 'refuses each effect of what runs, and erases it when it ends' },
  },
  {
    file: 'src/store/work/processes.ts',
    from: "DELETE FROM work WHERE place < 2 AND place = 1 AND state <> 'running' AND",
    to: 'DELETE FROM work WHERE place < 2 AND place = 9 AND',
    promise: 'LOST-3',
    breaks: 'What ran when its customer was forgotten does not begin again after a crash.',
    killedBy: { 'test/store/sqlite.test.ts': 'does not begin again once the process that ran it is gone' },
  },
  {
    file: 'src/kit/cli/inbox/export.ts',
    from: '?? -1)',
    to: '?? -1) * 0',
    promise: 'LOST-3',
    breaks: 'An export contains no message of a forgotten customer.',
    killedBy: { 'test/kit/cli/inbox-export.test.ts': 'contains no message that waits to be erased' },
  },
  {
    file: 'src/store/work/processes.ts',
    from: "return (yield* runState(fence)) === 'running'",
    to: 'return (yield* runState(fence)) !== undefined',
    promise: 'LOST-11',
    breaks: 'A handler enters a forgotten customer into no conversation.',
    killedBy: { 'test/journeys/forget.test.ts': 'enters no conversation that their own handler asks for after it' },
  },
  {
    file: 'src/store/outbox/open.ts',
    from: "if (state !== 'forgetting') return state === 'running'",
    to: 'if (state !== undefined) return true',
    promise: 'LOST-11',
    breaks: 'A conversation that a handler enters after it forgot its customer asks nothing.',
    killedBy: { 'test/journeys/forget.test.ts': 'leaves no question behind' },
  },
] satisfies Mutant[]
