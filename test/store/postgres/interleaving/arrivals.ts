import { ASHA, HOUR, item, JUMA, named, NEEMA, T0, WHO } from '../../samples.ts'
import { RULES } from '../../contract/burst-samples.ts'
import {
  accepting,
  begins,
  message,
  missed,
  of,
  type Message,
  running,
  settling,
  stored,
  storing,
  toldIn,
  watching,
} from './samples.ts'
import { pair, type Pair } from './play.ts'
import type { NewItem, StartedItem } from '../../../../src/store/work/items.ts'
import type { Begun } from '../../../../src/store/work/lanes.ts'

const first = message('first')
const second = message('second', { at: T0 + 1 })
const third = message('third', { at: T0 + 2 })
const older = message('older', { at: T0 - 1 })
const juma = message('of Juma', { customer: JUMA })

const limited = (text: string) => message(text, { limit: { messages: 1, everyMs: HOUR, at: T0 } })
const closing = (text: string, at: number) =>
  message(text, { at }, { windows: [{ ...WHO, lastAt: at, closing: [{ before: 60_000, dueAt: at + HOUR }] }] })
const gathered = (text: string, at: number, given: Partial<NewItem> = {}) =>
  message(text, { at, gathers: { ...RULES, maxMessages: 3 }, ...given })
const says = (text: string, says: 'out' | 'in', at: number, given: Partial<NewItem> = {}) =>
  message(text, { at, optOut: { says, at, how: text, anyNumber: true, unlessAsked: false }, ...given })
const ofTwo = (text: string, ...customers: readonly string[]) =>
  of(
    customers.map((customer, idx) =>
      item({ idx, customer, facts: '{}', cause: { identity: undefined, signed: `${text} ${idx}` } }),
    ),
  )
const identity = { key: 'upstream:wamid.1', claimant: 'asha|1' }
const claims = (text: string, given: Partial<NewItem> = {}) => {
  const { identity: known, cause, ...rest } = named(identity, given)
  return message(text, { ...rest, identity: known, cause: { ...cause, signed: `signed:${text}` } })
}
const otherId: Message = { ...first, delivery: { ...first.delivery, deliveryId: '01J00000000000000000999999' } }
const otherBytes: Message = { ...second, delivery: { ...second.delivery, deliveryId: first.delivery.deliveryId } }
const branch = { number: 'branch', lane: `branch/${ASHA}` }

const aStatus = message('a status', { kind: 'status', lane: `default/${ASHA}/status` })
const [a, b] = [gathered('a', T0), gathered('b', T0 + 1)]

/** What arrives, beside what arrives and what is handled. */
export const arrivals: readonly Pair[] = [
  pair({
    is: 'two messages of a customer: one of them begins, the other waits behind it, and the window has the later time',
    both: [accepting(first, 'one'), accepting(second, 'two')],
  }),
  pair({
    is: 'two messages of a customer whose lane is busy: both wait behind what runs, which knows that somebody waits',
    before: (store) => running(store, older),
    both: [accepting(first, 'one'), accepting(second, 'two')],
  }),
  pair({
    is: 'two messages of one customer each in a process, and one of a third: the ids of one customer rise with the commits of their messages',
    both: [[accepting(first, 'one'), accepting(third, 'one')], accepting(second, 'two')],
  }),
  pair({
    is: 'messages of two customers: they share nothing, and both begin',
    both: [accepting(first, 'one'), accepting(juma, 'two')],
  }),
  pair({
    is: 'two deliveries that have two customers each, in either order: neither waits for the other for ever',
    both: [accepting(ofTwo('one', ASHA, JUMA), 'one'), accepting(ofTwo('two', JUMA, ASHA), 'two')],
  }),
  pair({
    is: 'a delivery of three customers and a message of the last one: what shares one customer is behind it for that one alone',
    both: [
      accepting(ofTwo('three', ASHA, JUMA, NEEMA), 'one'),
      accepting(message('of Neema', { customer: NEEMA }), 'two'),
    ],
  }),
  pair({
    is: 'the same delivery at two receivers: it is stored once, and the other one is a repeat',
    both: [accepting(first, 'one'), accepting(first, 'two')],
  }),
  pair({
    is: 'the same bytes under two ids: the second is suspected of being a replay',
    both: [accepting(first, 'one'), accepting(otherId, 'two')],
  }),
  pair({
    is: 'two deliveries under one id: the second is a conflict, and its repeat is counted at the first',
    both: [accepting(first, 'one'), accepting(otherBytes, 'two')],
  }),
  pair({
    is: 'the same message in two deliveries: its identity is claimed once, and it is handled once',
    both: [accepting(claims('a'), 'one'), accepting(claims('b', { at: T0 }), 'two')],
  }),
  pair({
    is: 'two messages that claim one identity, of two customers: the identity is the number’s, and no customer’s: the claimant tells them apart',
    both: [
      accepting(claims('a'), 'one'),
      accepting(claims('c', { customer: JUMA, identity: { ...identity, claimant: 'juma|1' } }), 'two'),
    ],
  }),
  pair({
    is: 'two messages above the limit of a customer: the count is read and written: one is let in',
    before: (store) => stored(store, older),
    both: [accepting(limited('one'), 'one'), accepting(limited('two'), 'two')],
  }),
  pair({
    is: 'two messages that set a timer of the window: the timer belongs to the later message',
    both: [accepting(closing('sooner', T0), 'one'), accepting(closing('later', T0 + 9), 'two')],
  }),
  pair({
    is: 'STOP and START of a customer on one number: the later one counts, whichever is read first',
    both: [accepting(says('STOP', 'out', T0), 'one'), accepting(says('START', 'in', T0 + 1), 'two')],
  }),
  pair({
    is: 'STOP and START of a customer on two numbers: they are one customer on all numbers, and no lane says so',
    both: [accepting(says('STOP', 'out', T0), 'one'), accepting(says('START', 'in', T0 + 1, branch), 'two')],
  }),
  pair({
    is: 'two messages of a burst: one begins the gathering, and the other joins it',
    both: [accepting(gathered('a', T0), 'one'), accepting(gathered('b', T0 + 1), 'two')],
  }),
  pair({
    is: 'the last two messages of a burst: the one that fills it seals it, and the next begins another one',
    before: (store) => stored(store, a, b),
    both: [accepting(gathered('c', T0 + 2), 'one'), accepting(gathered('d', T0 + 3), 'two')],
  }),
  pair({
    is: 'a message that flushes a burst, and one that is gathered: what was gathered is sealed once, with all its members',
    before: (store) => stored(store, a),
    both: [accepting(gathered('tap', T0 + 2, { gathers: 'flushes' }), 'one'), accepting(gathered('b', T0 + 3), 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a settlement and a message: either the settlement begins the message, or the message begins itself',
    before: (store) => running(store, first),
    both: [settling(), accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a settlement with a message behind it, and an older message: the next of the lane is the older one, or that waits for its turn',
    before: async (store) => {
      const begun = await running(store, first)
      await stored(store, second)
      return begun
    },
    both: [settling(), accepting(older, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a settlement without a next one, and a message: the lane is left for a claim, or free',
    before: async (store) => {
      const begun = await running(store, first)
      await stored(store, second)
      return begun
    },
    both: [settling({ goOn: false }), accepting(third, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a settlement that tries again, and a message: the message stays behind what is tried again',
    before: (store) => running(store, first),
    both: [
      settling({ as: { as: 'retry', reason: 'x', at: T0 + 9, blocksLane: true, completedHandlers: [] } }),
      accepting(second, 'two'),
    ],
  }),
  pair<Begun<StartedItem>>({
    is: 'a dead letter and a message: the message does not wait behind it',
    before: (store) => running(store, first),
    both: [settling({ as: { as: 'dead', reason: 'x' } }), accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a result of an effect, and a message: the fence is the item’s, and the message changes it not',
    before: (store) => running(store, first),
    both: [(store, { fence, work }) => store.keepOnce(fence, work.id, 'paid', '1'), accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>[]>({
    is: 'settlements of a message and of a status of one customer: both write the customer’s session, and are in two lanes',
    before: async (store) => [await running(store, first), await running(store, aStatus)],
    both: [
      (store, [begun]) => settling({ as: toldIn('{"a":1}') })(store, begun as Begun<StartedItem>),
      (store, [, begun]) => settling({ as: toldIn('{"b":2}') })(store, begun as Begun<StartedItem>),
    ],
  }),
  pair<number>({
    is: 'the reading of an unread delivery at two processes: it is read once, whichever comes first',
    before: (store) => storing(store, first),
    both: [
      (store, seq) => store.ingest(seq, first.ingested, T0),
      (store, seq) => store.ingest(seq, first.ingested, T0),
    ],
  }),
  pair<number>({
    is: 'the reading of an unread delivery, and a message of its customer: the lane has both, and the id of the one read later is the older one',
    before: (store) => storing(store, first),
    both: [(store, seq) => store.ingest(seq, first.ingested, T0), accepting(second, 'two')],
  }),
  pair<number>({
    is: 'the reading of many items, and a message of one of their customers: later items of a delivery claim their identities one by one',
    before: (store) => storing(store, first),
    both: [
      (store, seq) =>
        store.ingest(
          seq,
          of([
            item({ customer: JUMA, cause: { identity: undefined, signed: 's0' }, facts: '{}' }),
            { ...named(identity, { idx: 1 }), facts: '{}', cause: { identity: identity.key, signed: 's1' } },
          ]).ingested,
          T0,
        ),
      accepting(claims('b'), 'two'),
    ],
  }),
  pair<undefined>({
    is: 'an unread delivery and a claim that takes nothing of its number: the claim holds back what waits behind an unread delivery, or came before it',
    before: async (store) => {
      await stored(store, second)
    },
    both: [
      (store) => store.accept(first.delivery, {}),
      (store) => store.claimItems({ ...begins('two'), limit: 9, unlessUnread: [] }),
    ],
  }),
  pair<undefined>({
    is: 'an unread delivery and a message: the message that arrived at the same time begins, or is held back',
    both: [(store) => store.accept(first.delivery, {}), accepting(second, 'two')],
  }),
  pair<readonly number[]>({
    is: 'a discarded delivery and its second reading: a person puts it away, or it is read again',
    before: async (store) => [await storing(store, first)],
    both: [(store, seqs) => store.discard(seqs), (store, seqs) => store.reingest(seqs)],
  }),
  pair<undefined>({
    is: 'a list that continues after the last id, and two messages: it has all that was stored before it began',
    both: [
      [accepting(first), accepting(juma)],
      [
        accepting(message('of Neema', { customer: NEEMA })),
        async (store) => {
          const before = await store.recordedDeliveries({ after: 0, limit: 9 })
          return { watched: { before, page: await store.recordedDeliveries({ after: 0, limit: 1 }) } }
        },
      ],
    ],
    after: async (store, answers) => {
      const { before, page } = (answers[1] as [unknown, { watched: Record<'before' | 'page', { seq: number }[]> }])[1]
        .watched
      const rest = await store.recordedDeliveries({ after: page[0]?.seq ?? 0, limit: 9 })
      const found = new Set([...page, ...rest].map(({ seq }) => seq))
      return { missed: before.filter(({ seq }) => !found.has(seq)).length }
    },
  }),
  pair<undefined>({
    is: 'a desk that watches, and two messages: a message that appears later than a higher id is never shown',
    both: [
      [accepting(first), accepting(second)],
      [accepting(juma), watching([WHO, { ...WHO, customer: JUMA }])],
    ],
    after: missed,
  }),
]
