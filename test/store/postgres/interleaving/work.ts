import type { Begun, StartedItem } from '../../../../src/store/types/types.ts'
import { RULES } from '../../contract/burst-samples.ts'
import { ASHA, HOUR, JUMA, LEASE_MS, NEEMA, T0, WHO } from '../../samples.ts'
import { accepting, claiming, message, running, settling, stored, toldIn } from './samples.ts'
import { pair, type Pair } from './play.ts'

const first = message('first')
const second = message('second', { at: T0 + 1 })
const juma = message('of Juma', { customer: JUMA })
const neema = message('of Neema', { customer: NEEMA })
const branch = message('of a branch', { number: 'branch', lane: `branch/${ASHA}` })
const gathered = [T0, T0 + 1, T0 + 2].map((at) => message(`gathered ${at}`, { at, burst: RULES }))
const closing = message(
  'closing',
  {},
  { windows: [{ ...WHO, lastAt: T0, closing: [{ before: 9, dueAt: T0 + HOUR }] }] },
)

/** When the lease of what ran at first has ended. */
const LATER = T0 + LEASE_MS
const heir = claiming('heir', { now: LATER })
const RETRY = { as: 'retry', reason: 'x', at: T0 + 2 * HOUR, blocksLane: false, completedHandlers: [] } as const
const dying = (store: Parameters<typeof running>[0]) => running(store, first, 'dying')

/** What waits and is begun, and the processes that do it. */
export const work: readonly Pair[] = [
  pair<undefined>({
    of: 'a claim and a message',
    why: 'the message is begun by one of them',
    before: (store) => stored(store, juma) as Promise<undefined>,
    one: [claiming('one')],
    other: [accepting(first, 'two')],
  }),
  pair<undefined>({
    of: 'a claim and a message of its lane',
    why: 'the message waits behind what the claim begins, or is begun by it',
    before: (store) => stored(store, first) as Promise<undefined>,
    one: [claiming('one')],
    other: [accepting(second, 'two')],
  }),
  pair<undefined>({
    of: 'a claim and an older message of its lane',
    why: 'what is older goes first, or comes too late',
    before: (store) => stored(store, second) as Promise<undefined>,
    one: [claiming('one')],
    other: [accepting(first, 'two')],
  }),
  pair<undefined>({
    of: 'two claims',
    why: 'no item is begun twice',
    before: (store) => stored(store, first, juma, branch) as Promise<undefined>,
    one: [claiming('one')],
    other: [claiming('two')],
  }),
  pair<undefined>({
    of: 'two claims that have room for some',
    why: 'what one leaves is the other’s',
    before: (store) => stored(store, first, juma, neema) as Promise<undefined>,
    one: [claiming('one', { limit: 2 })],
    other: [claiming('two', { limit: 2 })],
  }),
  pair<Begun<StartedItem>>({
    of: 'a claim and a settlement',
    why: 'the next of the lane is begun once',
    before: async (store) => {
      const begun = await running(store, first, 'two')
      await stored(store, second)
      return begun
    },
    one: [claiming('one')],
    other: [settling({ goOn: false })],
  }),
  pair<Begun<StartedItem>>({
    of: 'a claim that declares a process dead, and its settlement',
    why: 'either the item is settled, or another process has it: the fence tells',
    before: dying,
    one: [heir],
    other: [settling()],
  }),
  pair<Begun<StartedItem>>({
    of: 'a claim that declares a process dead, and its result of an effect',
    why: 'a freed item keeps no result of an earlier run',
    before: dying,
    one: [heir],
    other: [(store, { fence, work }) => store.keepOnce(fence, work.id, 'paid', '1')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a claim that declares a process dead, and its take-over',
    why: 'a freed item takes nobody over',
    before: dying,
    one: [heir],
    other: [(store, { fence }) => store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR }, fence)],
  }),
  pair({
    of: 'a claim that declares a process dead, and its renewal',
    why: 'it lives, or it learns that it is dead',
    before: dying,
    one: [heir],
    other: [(store) => store.renew('dying', () => LATER, LEASE_MS)],
  }),
  pair({
    of: 'a claim that declares a process dead, and a message that this one begins',
    why: 'a dead process begins nothing any more',
    before: dying,
    one: [heir],
    other: [accepting(juma, 'dying')],
  }),
  pair({
    of: 'a claim that declares a process dead, and the claim of it',
    why: 'it begins what waits and lives, or learns that it is dead',
    before: async (store) => {
      await dying(store)
      await stored(store, juma)
    },
    one: [heir],
    other: [claiming('dying', { now: LATER - 1 })],
  }),
  pair({
    of: 'two claims that declare one process dead',
    why: 'its items are begun by one of them',
    before: async (store) => {
      await dying(store)
      await running(store, juma, 'dying')
    },
    one: [claiming('one', { now: LATER, limit: 1 })],
    other: [claiming('two', { now: LATER, limit: 1 })],
  }),
  pair({
    of: 'a claim that declares a process dead, and a message of the lane that it frees',
    why: 'the message stays behind what was freed',
    before: dying,
    one: [heir],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'two renewals of processes that are new',
    why: 'each has its own row',
    one: [(store) => store.renew('one', () => T0, LEASE_MS)],
    other: [(store) => store.renew('two', () => T0, LEASE_MS)],
  }),
  pair<Begun<StartedItem>>({
    of: 'a renewal by a clock that went back, and what is put off',
    why: 'what waits for a clock that was ahead waits for so much less, and what is put off since is not moved',
    before: async (store) => {
      await store.renew('one', () => T0 + HOUR, LEASE_MS)
      return running(store, first, 'two')
    },
    one: [(store) => store.renew('one', () => T0, LEASE_MS)],
    other: [settling({ as: RETRY })],
  }),
  pair<Begun<StartedItem>>({
    of: 'runs that are freed, and their settlement',
    why: 'what is freed by its own process is settled by nobody else',
    before: (store) => running(store, first),
    one: [(store, { fence }) => store.freeRuns('work', [fence], T0)],
    other: [settling()],
  }),
  pair({
    of: 'the end of a burst, and a message of it',
    why: 'a burst is elected once it is quiet, with all its members or without the last',
    before: (store) => stored(store, ...gathered.slice(0, 2)),
    one: [claiming('one', { now: T0 + RULES.quietMs })],
    other: [accepting(gathered[2] as never, 'two')],
  }),
  pair({
    of: 'two claims of a burst that is quiet',
    why: 'it is begun once',
    before: (store) => stored(store, ...gathered.slice(0, 2)),
    one: [claiming('one', { now: T0 + RULES.quietMs })],
    other: [claiming('two', { now: T0 + RULES.quietMs })],
  }),
  pair({
    of: 'two claims of a timer that is due',
    why: 'it becomes one item',
    before: (store) => stored(store, closing),
    one: [claiming('one', { serviceNow: T0 + HOUR })],
    other: [claiming('two', { serviceNow: T0 + HOUR })],
  }),
  pair({
    of: 'a claim of a timer that is due, and a message that sets it again',
    why: 'it comes due, or is moved, and never both',
    before: (store) => stored(store, closing),
    one: [claiming('one', { serviceNow: T0 + HOUR })],
    other: [
      accepting(
        message(
          'moves',
          { at: T0 + 9 },
          { windows: [{ ...WHO, lastAt: T0 + 9, closing: [{ before: 9, dueAt: T0 + 2 * HOUR }] }] },
        ),
        'two',
      ),
    ],
  }),
  pair<number>({
    of: 'two people who have a dead letter tried again',
    why: 'it is tried again, and enters its lane once',
    before: async (store) => {
      const begun = await running(store, first)
      await settling({ as: { as: 'dead', reason: 'x' } })(store, begun)
      return begun.work.id
    },
    one: [async (store, id) => (await store.retryItems([id], T0)).map((seq) => ({ seq }))],
    other: [async (store, id) => (await store.retryItems([id], T0)).map((seq) => ({ seq }))],
  }),
  pair<number>({
    of: 'a dead letter that is tried again, and a message',
    why: 'one of them is first in the lane',
    before: async (store) => {
      const begun = await running(store, first)
      await settling({ as: { as: 'dead', reason: 'x' } })(store, begun)
      return begun.work.id
    },
    one: [async (store, id) => (await store.retryItems([id], T0)).map((seq) => ({ seq }))],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a settlement with a session, and a session from outside',
    why: 'both change another part of it, or the second sees the first',
    before: async (store) => {
      await store.putSession(WHO, { before: undefined, readAt: T0, value: '{"a":1}', version: 1, expiresAt: undefined })
      return running(store, first)
    },
    one: [
      settling({
        as: {
          as: 'done',
          session: { before: '{"a":1}', readAt: T0, value: '{"a":2}', version: 1, expiresAt: undefined },
        },
      }),
    ],
    other: [
      (store) =>
        store.putSession(WHO, {
          before: '{"a":1}',
          readAt: T0,
          value: '{"a":1,"b":1}',
          version: 1,
          expiresAt: undefined,
        }),
    ],
  }),
  pair<Begun<StartedItem>>({
    of: 'a settlement with a session, and the message behind it',
    why: 'the next item begins with the session of before',
    before: (store) => running(store, first),
    one: [settling({ as: toldIn('{"a":1}') })],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a status that two items claim',
    why: 'one of them handles it',
    before: async (store) => running(store, first),
    one: [(store, { work: { id, number } }) => store.firstToReach({ id, number }, 'm1', ['sent', 'read'])],
    other: [
      (store, { work: { id, number } }) => store.firstToReach({ id: id + 1_000, number }, 'm1', ['read', 'sent']),
    ],
  }),
]
