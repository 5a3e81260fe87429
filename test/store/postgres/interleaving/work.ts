import { RULES } from '../../contract/burst-samples.ts'
import { ASHA, HOUR, JUMA, LEASE_MS, NEEMA, T0, WHO } from '../../samples.ts'
import { accepting, claiming, message, running, settling, stored, toldIn } from './samples.ts'
import { pair, type Pair } from './play.ts'
import type { StartedItem } from '../../../../src/store/work/items.ts'
import type { Begun } from '../../../../src/store/work/lanes.ts'

const first = message('first')
const second = message('second', { at: T0 + 1 })
const juma = message('of Juma', { customer: JUMA })
const neema = message('of Neema', { customer: NEEMA })
const branch = message('of a branch', { number: 'branch', lane: `branch/${ASHA}` })
const gathered = [T0, T0 + 1, T0 + 2].map((at) => message(`gathered ${at}`, { at, gathers: RULES }))
const closing = message(
  'closing',
  {},
  { windows: [{ ...WHO, lastAt: T0, closing: [{ before: 9, dueAt: T0 + HOUR }] }] },
)

const M1 = { messageId: 'm1', upstreamId: undefined }

/** When the lease of what ran at first has ended. */
const LATER = T0 + LEASE_MS
const heir = claiming('heir', { now: LATER })
const RETRY = { as: 'retry', reason: 'x', at: T0 + 2 * HOUR, blocksLane: false, completedHandlers: [] } as const
const dying = (store: Parameters<typeof running>[0]) => running(store, first, 'dying')

/** What waits and is begun, and the processes that do it. */
export const work: readonly Pair[] = [
  pair<undefined>({
    is: 'a claim and a message: the message is begun by one of them',
    before: (store) => stored(store, juma) as Promise<undefined>,
    both: [claiming('one'), accepting(first, 'two')],
  }),
  pair<undefined>({
    is: 'a claim and a message of its lane: the message waits behind what the claim begins, or is begun by it',
    before: (store) => stored(store, first) as Promise<undefined>,
    both: [claiming('one'), accepting(second, 'two')],
  }),
  pair<undefined>({
    is: 'a claim and an older message of its lane: what is older goes first, or comes too late',
    before: (store) => stored(store, second) as Promise<undefined>,
    both: [claiming('one'), accepting(first, 'two')],
  }),
  pair<undefined>({
    is: 'two claims: no item is begun twice',
    before: (store) => stored(store, first, juma, branch) as Promise<undefined>,
    both: [claiming('one'), claiming('two')],
  }),
  pair<undefined>({
    is: 'two claims that have room for some: what one leaves is the other’s',
    before: (store) => stored(store, first, juma, neema) as Promise<undefined>,
    both: [claiming('one', { limit: 2 }), claiming('two', { limit: 2 })],
  }),
  pair<Begun<StartedItem>>({
    is: 'a claim and a settlement: the next of the lane is begun once',
    before: async (store) => {
      const begun = await running(store, first, 'two')
      await stored(store, second)
      return begun
    },
    both: [claiming('one'), settling({ goOn: false })],
  }),
  pair<Begun<StartedItem>>({
    is: 'a claim that declares a process dead, and its settlement: either the item is settled, or another process has it: the fence tells',
    before: dying,
    both: [heir, settling()],
  }),
  pair<Begun<StartedItem>>({
    is: 'a claim that declares a process dead, and its result of an effect: a freed item keeps no result of an earlier run',
    before: dying,
    both: [heir, (store, { fence, work }) => store.keepOnce(fence, work.id, 'paid', '1')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a claim that declares a process dead, and its take-over: a freed item takes nobody over',
    before: dying,
    both: [heir, (store, { fence }) => store.takeOver({ ...WHO, by: 'person', since: T0, until: T0 + HOUR }, fence)],
  }),
  pair({
    is: 'a claim that declares a process dead, and its renewal: it lives, or it learns that it is dead',
    before: dying,
    both: [heir, (store) => store.renew('dying', () => LATER, LEASE_MS)],
  }),
  pair({
    is: 'a claim that declares a process dead, and a message that this one begins: a dead process begins nothing any more',
    before: dying,
    both: [heir, accepting(juma, 'dying')],
  }),
  pair({
    is: 'a claim that declares a process dead, and the claim of it: it begins what waits and lives, or learns that it is dead',
    before: async (store) => {
      await dying(store)
      await stored(store, juma)
    },
    both: [heir, claiming('dying', { now: LATER - 1 })],
  }),
  pair({
    is: 'two claims that declare one process dead: its items are begun by one of them',
    before: async (store) => {
      await dying(store)
      await running(store, juma, 'dying')
    },
    both: [claiming('one', { now: LATER, limit: 1 }), claiming('two', { now: LATER, limit: 1 })],
  }),
  pair({
    is: 'a claim that declares a process dead, and a message of the lane that it frees: the message stays behind what was freed',
    before: dying,
    both: [heir, accepting(second, 'two')],
  }),
  pair({
    is: 'two renewals of processes that are new: each has its own row',
    both: [(store) => store.renew('one', () => T0, LEASE_MS), (store) => store.renew('two', () => T0, LEASE_MS)],
  }),
  pair<Begun<StartedItem>>({
    is: 'a renewal by a clock that went back, and what is put off: what waits for a clock that was ahead waits for so much less, and what is put off since is not moved',
    before: async (store) => {
      await store.renew('one', () => T0 + HOUR, LEASE_MS)
      return running(store, first, 'two')
    },
    both: [(store) => store.renew('one', () => T0, LEASE_MS), settling({ as: RETRY })],
  }),
  pair<Begun<StartedItem>>({
    is: 'runs that are freed, and their settlement: what is freed by its own process is settled by nobody else',
    before: (store) => running(store, first),
    both: [(store, { fence }) => store.freeRuns('work', [fence], T0), settling()],
  }),
  pair({
    is: 'the end of a burst, and a message of it: a burst is elected once it is quiet, with all its members or without the last',
    before: (store) => stored(store, ...gathered.slice(0, 2)),
    both: [claiming('one', { now: T0 + RULES.quietMs }), accepting(gathered[2] as never, 'two')],
  }),
  pair({
    is: 'two claims of a burst that is quiet: it is begun once',
    before: (store) => stored(store, ...gathered.slice(0, 2)),
    both: [claiming('one', { now: T0 + RULES.quietMs }), claiming('two', { now: T0 + RULES.quietMs })],
  }),
  pair({
    is: 'two claims of a timer that is due: it becomes one item',
    before: (store) => stored(store, closing),
    both: [claiming('one', { serviceNow: T0 + HOUR }), claiming('two', { serviceNow: T0 + HOUR })],
  }),
  pair({
    is: 'a claim of a timer that is due, and a message that sets it again: it comes due, or is moved, and never both',
    before: (store) => stored(store, closing),
    both: [
      claiming('one', { serviceNow: T0 + HOUR }),
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
    is: 'two people who have a dead letter tried again: it is tried again, and enters its lane once',
    before: async (store) => {
      const begun = await running(store, first)
      await settling({ as: { as: 'dead', reason: 'x' } })(store, begun)
      return begun.work.id
    },
    both: [
      async (store, id) => (await store.retryItems([id], T0)).map((seq) => ({ seq })),
      async (store, id) => (await store.retryItems([id], T0)).map((seq) => ({ seq })),
    ],
  }),
  pair<number>({
    is: 'a dead letter that is tried again, and a message: one of them is first in the lane',
    before: async (store) => {
      const begun = await running(store, first)
      await settling({ as: { as: 'dead', reason: 'x' } })(store, begun)
      return begun.work.id
    },
    both: [async (store, id) => (await store.retryItems([id], T0)).map((seq) => ({ seq })), accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a settlement with a session, and a session from outside: both change another part of it, or the second sees the first',
    before: async (store) => {
      await store.putSession(WHO, { before: undefined, readAt: T0, value: '{"a":1}', version: 1, expiresAt: undefined })
      return running(store, first)
    },
    both: [
      settling({
        as: {
          as: 'done',
          session: { before: '{"a":1}', readAt: T0, value: '{"a":2}', version: 1, expiresAt: undefined },
        },
      }),
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
    is: 'a settlement with a session, and the message behind it: the next item begins with the session of before',
    before: (store) => running(store, first),
    both: [settling({ as: toldIn('{"a":1}') }), accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a status that two items claim: one of them handles it',
    before: async (store) => running(store, first),
    both: [
      (store, { work }) => store.statusForHandlers(work, M1, ['sent', 'read']),
      (store, { work }) => store.statusForHandlers({ ...work, id: work.id + 1_000 }, M1, ['read', 'sent']),
    ],
  }),
]
