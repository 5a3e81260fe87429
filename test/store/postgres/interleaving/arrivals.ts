import type { Begun, NewItem, StartedItem } from '../../../../src/store/types/types.ts'
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

const first = message('first')
const second = message('second', { at: T0 + 1 })
const third = message('third', { at: T0 + 2 })
const older = message('older', { at: T0 - 1 })
const juma = message('of Juma', { customer: JUMA })

const limited = (text: string) => message(text, { limit: { messages: 1, everyMs: HOUR, at: T0 } })
const closing = (text: string, at: number) =>
  message(text, { at }, { windows: [{ ...WHO, lastAt: at, closing: [{ before: 60_000, dueAt: at + HOUR }] }] })
const gathered = (text: string, at: number, given: Partial<NewItem> = {}) =>
  message(text, { at, burst: { ...RULES, maxMessages: 3 }, ...given })
const says = (text: string, says: 'out' | 'in', at: number, given: Partial<NewItem> = {}) =>
  message(text, { at, optOut: { says, at, how: text, anyNumber: true, unlessAsked: false }, ...given })
const ofTwo = (text: string, ...customers: readonly string[]) =>
  of(
    customers.map((customer, idx) =>
      item({ idx, customer, facts: '{}', cause: { identity: undefined, signed: `${text} ${idx}` } }),
    ),
  )
const identity = { key: 'upstream:wamid.1', binding: 'asha|1' }
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
    of: 'two messages of a customer',
    why: 'one of them begins, the other waits behind it, and the window has the later time',
    one: [accepting(first, 'one')],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'two messages of a customer whose lane is busy',
    why: 'both wait behind what runs, which knows that somebody waits',
    before: (store) => running(store, older),
    one: [accepting(first, 'one')],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'two messages of one customer each in a process, and one of a third',
    why: 'the ids of one customer rise with the commits of their messages',
    one: [accepting(first, 'one'), accepting(third, 'one')],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'messages of two customers',
    why: 'they share nothing, and both begin',
    one: [accepting(first, 'one')],
    other: [accepting(juma, 'two')],
  }),
  pair({
    of: 'two deliveries that have two customers each, in either order',
    why: 'neither waits for the other for ever',
    one: [accepting(ofTwo('one', ASHA, JUMA), 'one')],
    other: [accepting(ofTwo('two', JUMA, ASHA), 'two')],
  }),
  pair({
    of: 'a delivery of three customers and a message of the last one',
    why: 'what shares one customer is behind it for that one alone',
    one: [accepting(ofTwo('three', ASHA, JUMA, NEEMA), 'one')],
    other: [accepting(message('of Neema', { customer: NEEMA }), 'two')],
  }),
  pair({
    of: 'the same delivery at two receivers',
    why: 'it is stored once, and the other one is a repeat',
    one: [accepting(first, 'one')],
    other: [accepting(first, 'two')],
  }),
  pair({
    of: 'the same bytes under two ids',
    why: 'the second is suspected of being a replay',
    one: [accepting(first, 'one')],
    other: [accepting(otherId, 'two')],
  }),
  pair({
    of: 'two deliveries under one id',
    why: 'the second is a conflict, and its repeat is counted at the first',
    one: [accepting(first, 'one')],
    other: [accepting(otherBytes, 'two')],
  }),
  pair({
    of: 'the same message in two deliveries',
    why: 'its identity is claimed once, and it is handled once',
    one: [accepting(claims('a'), 'one')],
    other: [accepting(claims('b', { at: T0 }), 'two')],
  }),
  pair({
    of: 'two messages that claim one identity, of two customers',
    why: 'the identity is the number’s, and no customer’s: the binding tells them apart',
    one: [accepting(claims('a'), 'one')],
    other: [accepting(claims('c', { customer: JUMA, identity: { ...identity, binding: 'juma|1' } }), 'two')],
  }),
  pair({
    of: 'two messages above the limit of a customer',
    why: 'the count is read and written: one is let in',
    before: (store) => stored(store, older),
    one: [accepting(limited('one'), 'one')],
    other: [accepting(limited('two'), 'two')],
  }),
  pair({
    of: 'two messages that set a timer of the window',
    why: 'the timer belongs to the later message',
    one: [accepting(closing('sooner', T0), 'one')],
    other: [accepting(closing('later', T0 + 9), 'two')],
  }),
  pair({
    of: 'STOP and START of a customer on one number',
    why: 'the later one counts, whichever is read first',
    one: [accepting(says('STOP', 'out', T0), 'one')],
    other: [accepting(says('START', 'in', T0 + 1), 'two')],
  }),
  pair({
    of: 'STOP and START of a customer on two numbers',
    why: 'they are one customer on all numbers, and no lane says so',
    one: [accepting(says('STOP', 'out', T0), 'one')],
    other: [accepting(says('START', 'in', T0 + 1, branch), 'two')],
  }),
  pair({
    of: 'two messages of a burst',
    why: 'one begins the gathering, and the other joins it',
    one: [accepting(gathered('a', T0), 'one')],
    other: [accepting(gathered('b', T0 + 1), 'two')],
  }),
  pair({
    of: 'the last two messages of a burst',
    why: 'the one that fills it seals it, and the next begins another one',
    before: (store) => stored(store, a, b),
    one: [accepting(gathered('c', T0 + 2), 'one')],
    other: [accepting(gathered('d', T0 + 3), 'two')],
  }),
  pair({
    of: 'a message that flushes a burst, and one that is gathered',
    why: 'what was gathered is sealed once, with all its members',
    before: (store) => stored(store, a),
    one: [accepting(gathered('tap', T0 + 2, { burst: 'flushes' }), 'one')],
    other: [accepting(gathered('b', T0 + 3), 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a settlement and a message',
    why: 'either the settlement begins the message, or the message begins itself',
    before: (store) => running(store, first),
    one: [settling()],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a settlement with a message behind it, and an older message',
    why: 'the next of the lane is the older one, or that waits for its turn',
    before: async (store) => {
      const begun = await running(store, first)
      await stored(store, second)
      return begun
    },
    one: [settling()],
    other: [accepting(older, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a settlement without a next one, and a message',
    why: 'the lane is left for a claim, or free',
    before: async (store) => {
      const begun = await running(store, first)
      await stored(store, second)
      return begun
    },
    one: [settling({ goOn: false })],
    other: [accepting(third, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a settlement that tries again, and a message',
    why: 'the message stays behind what is tried again',
    before: (store) => running(store, first),
    one: [settling({ as: { as: 'retry', reason: 'x', at: T0 + 9, blocksLane: true, completedHandlers: [] } })],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a dead letter and a message',
    why: 'the message does not wait behind it',
    before: (store) => running(store, first),
    one: [settling({ as: { as: 'dead', reason: 'x' } })],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a result of an effect, and a message',
    why: 'the fence is the item’s, and the message changes it not',
    before: (store) => running(store, first),
    one: [(store, { fence, work }) => store.keepOnce(fence, work.id, 'paid', '1')],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>[]>({
    of: 'settlements of a message and of a status of one customer',
    why: 'both write the customer’s session, and are in two lanes',
    before: async (store) => [await running(store, first), await running(store, aStatus)],
    one: [(store, [begun]) => settling({ as: toldIn('{"a":1}') })(store, begun as Begun<StartedItem>)],
    other: [(store, [, begun]) => settling({ as: toldIn('{"b":2}') })(store, begun as Begun<StartedItem>)],
  }),
  pair<number>({
    of: 'the reading of an unread delivery at two processes',
    why: 'it is read once, whichever comes first',
    before: (store) => storing(store, first),
    one: [(store, seq) => store.ingest(seq, first.ingested, T0)],
    other: [(store, seq) => store.ingest(seq, first.ingested, T0)],
  }),
  pair<number>({
    of: 'the reading of an unread delivery, and a message of its customer',
    why: 'the lane has both, and the id of the one read later is the older one',
    before: (store) => storing(store, first),
    one: [(store, seq) => store.ingest(seq, first.ingested, T0)],
    other: [accepting(second, 'two')],
  }),
  pair<number>({
    of: 'the reading of many items, and a message of one of their customers',
    why: 'later items of a delivery claim their identities one by one',
    before: (store) => storing(store, first),
    one: [
      (store, seq) =>
        store.ingest(
          seq,
          of([
            item({ customer: JUMA, cause: { identity: undefined, signed: 's0' }, facts: '{}' }),
            { ...named(identity, { idx: 1 }), facts: '{}', cause: { identity: identity.key, signed: 's1' } },
          ]).ingested,
          T0,
        ),
    ],
    other: [accepting(claims('b'), 'two')],
  }),
  pair<undefined>({
    of: 'an unread delivery and a claim that takes nothing of its number',
    why: 'the claim holds back what waits behind an unread delivery, or came before it',
    before: async (store) => {
      await stored(store, second)
    },
    one: [(store) => store.accept(first.delivery, {})],
    other: [(store) => store.claimItems({ ...begins('two'), limit: 9, unlessUnread: [] })],
  }),
  pair<undefined>({
    of: 'an unread delivery and a message',
    why: 'the message that arrived at the same time begins, or is held back',
    one: [(store) => store.accept(first.delivery, {})],
    other: [accepting(second, 'two')],
  }),
  pair<readonly number[]>({
    of: 'a discarded delivery and its second reading',
    why: 'a person puts it away, or it is read again',
    before: async (store) => [await storing(store, first)],
    one: [(store, seqs) => store.discard(seqs)],
    other: [(store, seqs) => store.reingest(seqs)],
  }),
  pair<undefined>({
    of: 'a list that continues after the last id, and two messages',
    why: 'it has all that was stored before it began',
    one: [accepting(first), accepting(juma)],
    other: [
      accepting(message('of Neema', { customer: NEEMA })),
      async (store) => {
        const before = await store.recordedDeliveries({ after: 0, limit: 9 })
        return { watched: { before, page: await store.recordedDeliveries({ after: 0, limit: 1 }) } }
      },
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
    of: 'a desk that watches, and two messages',
    why: 'a message that appears later than a higher id is never shown',
    one: [accepting(first), accepting(second)],
    other: [accepting(juma), watching([WHO, { ...WHO, customer: JUMA }])],
    after: missed,
  }),
]
