import type { Store } from '../../../../src/store/store.ts'
import type { Begun, NewSend, PruneMark, StartedItem } from '../../../../src/store/types/types.ts'
import { ACCEPTED, DAY, HOUR, JUMA, named, send, T0, WHO } from '../../samples.ts'
import { accepting, attempted, claiming, message, opening, running, settling, stored, storing } from './samples.ts'
import { pair, type Pair } from './play.ts'

const first = message('first')
const second = message('second', { at: T0 + 1 })
const juma = message('of Juma', { customer: JUMA })
const identity = { key: 'upstream:wamid.1', binding: 'asha|1' }
const claimed = message('claims', { identity, cause: named(identity).cause })
const claimedAgain = message('claims again', { identity, cause: named(identity).cause })
const toAsha = send()
const news: NewSend = { ...send(), marketing: { at: T0, anyNumber: true } }

const LATER = T0 + 40 * DAY
const STAGES: readonly PruneMark['stage'][] = [
  'forgotten',
  'bytes',
  'rows',
  'sends',
  'strays',
  'customers',
  'people',
  'conversations',
  'announcements',
]
const pruning = (stage: PruneMark['stage']) => async (store: Store) => {
  const ages = { bytesBefore: LATER - 7 * DAY, idsBefore: LATER - 30 * DAY, now: LATER, limit: 9 }
  const { wiped, removed } = await store.prune({ ...ages, after: { stage, at: [] } })
  return { wiped, removed }
}
const handled = async (store: Store, one = first) => {
  const begun = await running(store, one)
  await settling()(store, begun)
  return begun
}
const forgets = (store: Store) => store.forget(WHO, T0)
const erases = async (store: Store) => {
  while (await store.eraseForgotten(9)) continue
}
const restores = async (_: Store, _given: unknown, process: { start(o: { restored: boolean }): Promise<Store> }) => {
  const store = await process.start({ restored: true })
  await store.close()
  return store.restored
}

/** What is forgotten, pruned, restored and kept of all. */
export const upkeep: readonly Pair[] = [
  pair({
    of: 'a customer who is forgotten, and their message',
    why: 'a message before the border is erased, and one behind it is of a new customer',
    before: (store) => stored(store, first),
    one: [forgets],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'a customer who is forgotten, and another customer’s message',
    why: 'the border is the highest id',
    before: (store) => stored(store, first),
    one: [forgets],
    other: [accepting(juma, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a customer who is forgotten, and a settlement',
    why: 'what runs ends without effects, or has ended',
    before: (store) => running(store, first),
    one: [forgets],
    other: [settling()],
  }),
  pair({
    of: 'a customer who is forgotten, and a send to them',
    why: 'it is cancelled, or behind the border',
    before: (store) => stored(store, first),
    one: [forgets],
    other: [opening(toAsha, 'two')],
  }),
  pair({
    of: 'a customer who is forgotten, and a claim',
    why: 'what waits is begun or erased',
    before: (store) => stored(store, first),
    one: [forgets],
    other: [claiming('two')],
  }),
  pair({
    of: 'a customer who is forgotten, and a session from outside',
    why: 'the session is erased, or is of a new customer',
    before: (store) => stored(store, first),
    one: [forgets],
    other: [
      (store) =>
        store.putSession(WHO, { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: undefined }),
    ],
  }),
  pair({
    of: 'a customer who is forgotten, and their opt-out',
    why: 'an opt-out outlives its customer as a hash',
    before: (store) =>
      store.optOut({ ...WHO, at: T0, how: 'STOP' }).then(async () => void (await store.secret('opt_outs'))),
    one: [forgets],
    other: [(store) => store.optIn({ ...WHO, at: T0 + 1, how: 'START' }, { anyNumber: false })],
  }),
  pair({
    of: 'the erasing of a customer, and their message',
    several: true,
    why: 'what was read later stays',
    before: async (store) => {
      await handled(store)
      await forgets(store)
    },
    one: [erases],
    other: [accepting(second, 'two')],
  }),
  pair<number>({
    of: 'a customer who is forgotten, and the reading of their delivery',
    why: 'what arrived before does not begin',
    before: (store) => storing(store, first),
    one: [forgets],
    other: [(store, seq) => store.ingest(seq, first.ingested, T0)],
  }),
  pair({
    of: 'a pruning, and a message of the same customer',
    why: 'a customer whose row is removed has a new one',
    before: (store) => handled(store) as Promise<never>,
    one: [pruning('customers')],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'a pruning, and a repeat of what it removes',
    why: 'it is a repeat, or a delivery that nobody knows any more',
    before: (store) => handled(store) as Promise<never>,
    one: [pruning('rows')],
    other: [accepting(first, 'two')],
  }),
  pair({
    of: 'a pruning, and a message that claims an identity which it removes',
    why: 'an identity is claimed for as long as its row is there',
    before: (store) => handled(store, claimed) as Promise<never>,
    one: [pruning('rows')],
    other: [accepting(claimedAgain, 'two')],
  }),
  pair({
    of: 'a pruning of bytes, and a conflict that shares them',
    why: 'the bytes of what a person has to look at stay',
    before: (store) => handled(store) as Promise<never>,
    one: [pruning('bytes')],
    other: [accepting({ ...second, delivery: { ...second.delivery, deliveryId: first.delivery.deliveryId } }, 'two')],
  }),
  pair({
    of: 'a pruning of all, and a message',
    several: true,
    why: 'what is open is never removed',
    before: (store) => handled(store) as Promise<never>,
    one: STAGES.map(pruning),
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'two prunings',
    why: 'each row is removed once, and counted once',
    before: (store) => handled(store) as Promise<never>,
    one: [pruning('rows')],
    other: [pruning('rows')],
  }),
  pair({
    of: 'two turns of the pruning',
    why: 'one of the processes prunes',
    one: [(store) => store.prune({ bytesBefore: 0, idsBefore: 0, now: T0, unlessSince: T0 - HOUR, limit: 9 })],
    other: [(store) => store.prune({ bytesBefore: 0, idsBefore: 0, now: T0, unlessSince: T0 - HOUR, limit: 9 })],
  }),
  pair({
    of: 'a pruning of sends, and a send that is opened again',
    why: 'it is new, or it is known',
    before: async (store) => {
      const { fence, work } = await attempted(store, toAsha)
      await store.settleSend(fence, work.send.id, ACCEPTED, { now: T0, goOn: true })
    },
    one: [pruning('sends')],
    other: [opening(toAsha, 'two')],
  }),
  pair({
    of: 'a start over a restored database, and a message',
    several: true,
    why: 'what came before the start came back with the backup',
    before: (store) => stored(store, first),
    one: [restores],
    other: [accepting(second, 'two')],
  }),
  pair({
    of: 'a start over a restored database, and a send',
    several: true,
    why: 'it is held if it was there before',
    before: async (store) => void (await opening(toAsha)(store)),
    one: [restores],
    other: [opening(news, 'two')],
  }),
  pair({
    of: 'the end of a restore, and a send',
    several: true,
    why: 'what is held goes out, and what is recorded is not held any more',
    before: async (store) => {
      await opening(toAsha)(store)
    },
    one: [restores, (store) => store.resumeSends({ restored: true })],
    other: [opening(news, 'two')],
  }),
  pair({
    of: 'two lists of templates',
    why: 'what one listed stays',
    one: [(store) => store.keepCategories('default', { hello: 'UTILITY' })],
    other: [(store) => store.keepCategories('default', { sale: 'MARKETING' })],
  }),
  pair({
    of: 'two acts of people',
    why: 'each has its own row and number',
    one: [(store) => store.recordAct({ at: T0, who: 'neema', act: 'retry', what: '1' })],
    other: [(store) => store.recordAct({ at: T0, who: 'juma', act: 'retry', what: '2' })],
  }),
  pair({
    of: 'the first question for a secret in two processes',
    why: 'both have the same',
    one: [async (store) => ({ watched: Buffer.from(await store.secret('admin')).toString('hex') })],
    other: [async (store) => ({ watched: Buffer.from(await store.secret('admin')).toString('hex') })],
    after: async (store, answers) => {
      const kept = Buffer.from(await store.secret('admin')).toString('hex')
      return (answers as [{ watched: string }][]).map(([{ watched }]) => watched === kept)
    },
  }),
  pair({
    of: 'two mappings',
    why: 'the second one counts',
    one: [(store) => store.keepMapping([])],
    other: [(store) => store.keepMapping([{ event: 'message.received', fact: 'text', path: 'data.text' }])],
  }),
]
