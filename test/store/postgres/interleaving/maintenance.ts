import type { Store } from '../../../../src/store/store.ts'
import { ACCEPTED, DAY, HOUR, JUMA, named, send, T0, WHO } from '../../samples.ts'
import { accepting, attempted, claiming, message, opening, running, settling, stored, storing } from './samples.ts'
import { pair, type Pair } from './play.ts'
import type { NewSend } from '../../../../src/store/outbox/rows.ts'
import type { PruneCursor } from '../../../../src/store/maintenance/prune.ts'
import type { StartedItem } from '../../../../src/store/work/items.ts'
import type { Begun } from '../../../../src/store/work/lanes.ts'

const first = message('first')
const second = message('second', { at: T0 + 1 })
const juma = message('of Juma', { customer: JUMA })
const identity = { key: 'upstream:wamid.1', claimant: 'asha|1' }
const claimed = message('claims', { identity, cause: named(identity).cause })
const claimedAgain = message('claims again', { identity, cause: named(identity).cause })
const toAsha = send()
const news: NewSend = { ...send(), marketing: { at: T0, anyNumber: true } }

const LATER = T0 + 40 * DAY
const STAGES: readonly PruneCursor['stage'][] = [
  'forgotten',
  'bytes',
  'rows',
  'sends',
  'strays',
  'customers',
  'conversations',
  'features',
]
const pruning = (stage: PruneCursor['stage']) => async (store: Store) => {
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
export const maintenance: readonly Pair[] = [
  pair({
    is: 'a customer who is forgotten, and their message: a message before the border is erased, and one behind it is of a new customer',
    before: (store) => stored(store, first),
    both: [forgets, accepting(second, 'two')],
  }),
  pair({
    is: 'a customer who is forgotten, and another customer’s message: the border is the highest id',
    before: (store) => stored(store, first),
    both: [forgets, accepting(juma, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a customer who is forgotten, and a settlement: what runs ends without effects, or has ended',
    before: (store) => running(store, first),
    both: [forgets, settling()],
  }),
  pair({
    is: 'a customer who is forgotten, and a send to them: it is cancelled, or behind the border',
    before: (store) => stored(store, first),
    both: [forgets, opening(toAsha, 'two')],
  }),
  pair({
    is: 'a customer who is forgotten, and a claim: what waits is begun or erased',
    before: (store) => stored(store, first),
    both: [forgets, claiming('two')],
  }),
  pair({
    is: 'a customer who is forgotten, and a session from outside: the session is erased, or is of a new customer',
    before: (store) => stored(store, first),
    both: [
      forgets,
      (store) =>
        store.putSession(WHO, { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: undefined }),
    ],
  }),
  pair({
    is: 'a customer who is forgotten, and their opt-out: an opt-out outlives its customer as a hash',
    before: (store) =>
      store.optOut({ ...WHO, at: T0, how: 'STOP' }).then(async () => void (await store.secret('opt_outs'))),
    both: [forgets, (store) => store.optIn({ ...WHO, at: T0 + 1, how: 'START' }, { anyNumber: false })],
  }),
  pair({
    is: 'the erasing of a customer, and their message: what was read later stays',
    several: true,
    before: async (store) => {
      await handled(store)
      await forgets(store)
    },
    both: [erases, accepting(second, 'two')],
  }),
  pair<number>({
    is: 'a customer who is forgotten, and the reading of their delivery: what arrived before does not begin',
    before: (store) => storing(store, first),
    both: [forgets, (store, seq) => store.ingest(seq, first.ingested, T0)],
  }),
  pair({
    is: 'a pruning, and a message of the same customer: a customer whose row is removed has a new one',
    before: (store) => handled(store) as Promise<never>,
    both: [pruning('customers'), accepting(second, 'two')],
  }),
  pair({
    is: 'a pruning, and a repeat of what it removes: it is a repeat, or a delivery that nobody knows any more',
    before: (store) => handled(store) as Promise<never>,
    both: [pruning('rows'), accepting(first, 'two')],
  }),
  pair({
    is: 'a pruning, and a message that claims an identity which it removes: an identity is claimed for as long as its row is there',
    before: (store) => handled(store, claimed) as Promise<never>,
    both: [pruning('rows'), accepting(claimedAgain, 'two')],
  }),
  pair({
    is: 'a pruning of bytes, and a conflict that shares them: the bytes of what a person has to look at stay',
    before: (store) => handled(store) as Promise<never>,
    both: [
      pruning('bytes'),
      accepting({ ...second, delivery: { ...second.delivery, deliveryId: first.delivery.deliveryId } }, 'two'),
    ],
  }),
  pair({
    is: 'a pruning of all, and a message: what is open is never removed',
    several: true,
    before: (store) => handled(store) as Promise<never>,
    both: [STAGES.map(pruning), accepting(second, 'two')],
  }),
  pair({
    is: 'two prunings: each row is removed once, and counted once',
    before: (store) => handled(store) as Promise<never>,
    both: [pruning('rows'), pruning('rows')],
  }),
  pair({
    is: 'two turns of the pruning: one of the processes prunes',
    both: [
      (store) => store.prune({ bytesBefore: 0, idsBefore: 0, now: T0, unlessSince: T0 - HOUR, limit: 9 }),
      (store) => store.prune({ bytesBefore: 0, idsBefore: 0, now: T0, unlessSince: T0 - HOUR, limit: 9 }),
    ],
  }),
  pair({
    is: 'a pruning of sends, and a send that is opened again: it is new, or it is known',
    before: async (store) => {
      const { fence, work } = await attempted(store, toAsha)
      await store.settleSend(fence, work.send.id, ACCEPTED, { now: T0, goOn: true })
    },
    both: [pruning('sends'), opening(toAsha, 'two')],
  }),
  pair({
    is: 'a start over a restored database, and a message: what came before the start came back with the backup',
    several: true,
    before: (store) => stored(store, first),
    both: [restores, accepting(second, 'two')],
  }),
  pair({
    is: 'a start over a restored database, and a send: it is held if it was there before',
    several: true,
    before: async (store) => void (await opening(toAsha)(store)),
    both: [restores, opening(news, 'two')],
  }),
  pair({
    is: 'the end of a restore, and a send: what is held goes out, and what is recorded is not held any more',
    several: true,
    before: async (store) => {
      await opening(toAsha)(store)
    },
    both: [[restores, (store) => store.resumeSends({ restored: true })], opening(news, 'two')],
  }),
  pair({
    is: 'two lists of templates: what one listed stays',
    both: [
      (store) => store.keepCategories('default', { hello: 'UTILITY' }),
      (store) => store.keepCategories('default', { sale: 'MARKETING' }),
    ],
  }),
  pair({
    is: 'two acts of people: each has its own row and number',
    both: [
      (store) => store.recordAct({ at: T0, who: 'neema', act: 'retry', what: '1' }),
      (store) => store.recordAct({ at: T0, who: 'juma', act: 'retry', what: '2' }),
    ],
  }),
  pair({
    is: 'the first question for a secret in two processes: both have the same',
    both: [
      async (store) => ({ watched: Buffer.from(await store.secret('admin')).toString('hex') }),
      async (store) => ({ watched: Buffer.from(await store.secret('admin')).toString('hex') }),
    ],
    after: async (store, answers) => {
      const kept = Buffer.from(await store.secret('admin')).toString('hex')
      return (answers as [{ watched: string }][]).map(([{ watched }]) => watched === kept)
    },
  }),
  pair({
    is: 'two mappings: the second one counts',
    both: [
      (store) => store.keepMapping([]),
      (store) => store.keepMapping([{ event: 'message.received', fact: 'text', path: 'data.text' }]),
    ],
  }),
]
