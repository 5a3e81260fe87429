import type { Store } from '../../../../src/store/store.ts'
import { ACCEPTED, HOUR, send, T0, WHO } from '../../samples.ts'
import { accepting, attempted, claiming, message, missed, opening, running, settling, watching } from './samples.ts'
import { pair, type Pair } from './play.ts'
import type {
  ConversationChange,
  NewConversation,
} from '../../../../src/features/conversations/store/conversation-rows.ts'
import { writtenBy } from '../../../../src/features/people/store/take-and-give-back.ts'
import type { NewTakeover } from '../../../../src/features/people/store/hand-over.ts'
import type { NewSend } from '../../../../src/store/outbox/rows.ts'
import type { StartedItem } from '../../../../src/store/work/items.ts'
import type { Begun } from '../../../../src/store/work/lanes.ts'
import type { DueSend } from '../../../../src/store/outbox/send-attempts.ts'

const BOTH = [WHO, { ...WHO, number: 'branch' }]
const first = message('first')
const second = message('second', { at: T0 + 1 })
const third = message('third', { at: T0 + 2 })
const overtaken = message(
  'BOT',
  { at: T0 + 3 },
  { silences: [{ ...WHO, by: 'agent', since: T0 + 3, until: T0 + HOUR } as NewTakeover] },
)
const handsOver: NewTakeover = { ...WHO, by: 'person', since: T0, until: T0 + HOUR }
const takesOver =
  (given: Partial<NewTakeover> = {}) =>
  (store: Store) =>
    store.takeOver({ ...handsOver, ...given })
const puts = (before: string | undefined, value: string) => (store: Store) =>
  store.putSession(WHO, { before, readAt: T0, value, version: 1, expiresAt: undefined })

const reply = send({ repliedAt: T0 + 1 })
const written: NewSend = { ...send(), slot: 'person:1', byPerson: { writer: 'neema', seen: 1 } }
const by = (writer: string, seen: number, one: NewSend): NewSend => ({
  ...one,
  slot: `person:${writer}`,
  byPerson: writtenBy(
    WHO,
    { writer, seen, saw: { message: seen, send: 0 }, takesOver: { since: T0, until: T0 + HOUR } },
    T0,
  ),
})
const [hers, his] = [send(), send()]

/** Two messages that rested for a person: the ids of their items. */
async function rested(store: Store): Promise<number[]> {
  const ids: number[] = []
  for (const one of [first, second]) {
    const begun = await running(store, one)
    await settling({ as: { as: 'rested', leftToPerson: 'wrote' } })(store, begun)
    ids.push(begun.work.id)
  }
  return ids
}
const answers = (store: Store, { fence, work }: Begun<DueSend>) =>
  store.settleSend(fence, work.send.id, ACCEPTED, { now: T0 + 7, goOn: true })
const dismissing = (confirmed: boolean) => (store: Store, ids: readonly number[]) =>
  store.dismissWait(WHO, { by: 'neema', seen: { message: Math.max(...ids), send: 0 }, confirmed, now: T0 })
/** A message that begins to rest, behind the others. */
const restsToo = async (store: Store) => ({ ids: await rested(store), begun: await running(store, third) })
type Resting = Awaited<ReturnType<typeof restsToo>>
const rests = (store: Store, { begun }: Resting) =>
  settling({ as: { as: 'rested', leftToPerson: 'wrote' } })(store, begun)

const BOOKING: NewConversation = { ...WHO, id: 'c_booking', name: 'booking', version: 1, input: undefined }
const SURVEY: NewConversation = { ...BOOKING, id: 'c_survey', name: 'survey' }
const WAITS = { step: 0, for: 'answer', since: T0, dueAt: undefined } as const
const opens = (opened: NewConversation): ConversationChange => ({
  id: opened.id,
  opens: opened,
  steps: [{ step: 0, kind: 'ask', name: 'day', result: undefined }],
  next: { waits: WAITS },
})
const converses = (...conversations: readonly ConversationChange[]) =>
  settling({ as: { as: 'done', changes: { conversations } } })
const conversing = async (store: Store) => {
  await converses(opens(BOOKING))(store, await running(store, first))
  return running(store, second)
}
const entry = { ...WHO, name: 'booking', version: 1, input: undefined, key: 'entry-1', at: T0 }
const STEP = { step: 0, kind: 'once', name: 'free', result: '1' } as const

/** A customer’s state, from outside and from their messages, and what people do with it. */
export const people: readonly Pair[] = [
  pair({
    is: 'two sessions from outside: the second one finds that it is no longer as it was read',
    both: [puts(undefined, '{"a":1}'), puts(undefined, '{"b":1}')],
  }),
  pair({
    is: 'two sessions from outside on top of one: the same of a customer who is known',
    before: (store) => puts(undefined, '{}')(store) as Promise<never>,
    both: [puts('{}', '{"a":1}'), puts('{}', '{"b":1}')],
  }),
  pair({
    is: 'a session from outside, and a message: the message begins with it or without, and the window stays',
    both: [puts(undefined, '{"a":1}'), accepting(first, 'two')],
  }),
  pair({
    is: 'a take-over and a message: the message begins knowing who has its customer',
    both: [takesOver(), accepting(first, 'two')],
  }),
  pair({
    is: 'a take-over by the message itself, and one from outside: the later one counts',
    both: [takesOver(), accepting(overtaken, 'two')],
  }),
  pair({
    is: 'two take-overs: the later one counts',
    both: [takesOver(), takesOver({ by: 'agent', since: T0 + 1, until: T0 + 2 * HOUR })],
  }),
  pair({
    is: 'a take-over and its end: an end counts for what it follows',
    before: (store) => takesOver()(store) as Promise<never>,
    both: [(store) => store.resume(WHO, T0 + 5), takesOver({ by: 'agent', since: T0 + 4, until: T0 + 2 * HOUR })],
  }),
  pair({
    is: 'the end of a take-over, and a message: the message begins knowing that the bot has its customer',
    before: (store) => takesOver()(store) as Promise<never>,
    both: [(store) => store.resume(WHO, T0 + 5), accepting(first, 'two')],
  }),
  pair({
    is: 'a take-over and a reply: a reply behind it is skipped, and one before it goes out',
    both: [takesOver(), opening(reply, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a take-over from outside, and by a handler: the handler’s names its item',
    before: (store) => running(store, first),
    both: [takesOver(), (store, { fence }) => store.takeOver({ ...handsOver, since: T0 + 1 }, fence)],
  }),
  pair<Begun<DueSend>>({
    is: 'a hand-over and the answer of a person: the wait begins behind the answer, or ends with it',
    before: async (store) => {
      await rested(store)
      return attempted(store, written)
    },
    both: [takesOver({ since: T0 + 6 }), answers],
  }),
  pair<Begun<DueSend>>({
    is: 'a message that rests, and the answer of a person: what the writer had not seen waits on',
    before: async (store) => {
      await rested(store)
      return attempted(store, written)
    },
    both: [[accepting(third, 'one'), claiming('one')], answers],
  }),
  pair<Resting>({
    is: 'a settlement that rests, and the answer of a person: the wait ends, and begins again from the later message',
    before: async (store) => ({ ...(await restsToo(store)), answer: await attempted(store, written, 'two') }),
    both: [rests, (store, given) => answers(store, (given as unknown as { answer: Begun<DueSend> }).answer)],
  }),
  pair<number[]>({
    is: 'a person who writes, and a message: nothing is sent over a message that its writer has not seen',
    before: rested,
    both: [(store, ids) => store.openSend(by('neema', Math.max(...ids), hers)), accepting(third, 'two')],
  }),
  pair<number[]>({
    is: 'two people who write: the second has not seen the first',
    before: rested,
    both: [
      (store, ids) => store.openSend(by('neema', Math.max(...ids), hers)),
      (store, ids) => store.openSend(by('juma', Math.max(...ids), his)),
    ],
  }),
  pair<number[]>({
    is: 'a person who takes a customer, and a message: it rests, or was begun before',
    before: rested,
    both: [takesOver({ waits: false }), accepting(third, 'two')],
  }),
  pair<number[]>({
    is: 'a dismissal and a message: it is refused if the customer has written since',
    before: rested,
    both: [dismissing(false), accepting(third, 'two')],
  }),
  pair<Resting>({
    is: 'a dismissal and a settlement that rests: the later message waits on',
    before: restsToo,
    both: [(store, { ids }) => dismissing(true)(store, ids), rests],
  }),
  pair<number[]>({
    is: 'two people who dismiss: one of them did it',
    before: rested,
    both: [dismissing(false), dismissing(true)],
  }),
  pair<Resting>({
    is: 'a snooze and a settlement that rests: a new message ends the snooze',
    before: restsToo,
    both: [(store) => store.snoozeWait(WHO, T0 + HOUR, T0), rests],
  }),
  pair<number[]>({
    is: 'a snooze and a dismissal: nobody snoozes a wait that has ended',
    before: rested,
    both: [(store) => store.snoozeWait(WHO, T0 + HOUR, T0), dismissing(true)],
  }),
  pair<Resting>({
    is: 'a chat that is passed on, and a settlement that rests: neither loses what the other wrote in the row',
    before: restsToo,
    both: [
      (store) => store.assign(WHO, 'juma', { note: { who: 'neema', note: 'please', passedTo: 'juma' }, now: T0 }),
      rests,
    ],
  }),
  pair<number[]>({
    is: 'a chat that is passed on, and the answer of a person: the wait ends, and the chat is the other’s',
    before: async (store) => [await attempted(store, written)] as never,
    both: [(store) => store.assign(WHO, 'juma', { now: T0 }), (store, [begun]) => answers(store, begun as never)],
  }),
  pair({
    is: 'a chat that two people take: it is the second one’s, and each change is shown to who watches',
    both: [(store) => store.assign(WHO, 'neema', { now: T0 }), (store) => store.assign(WHO, 'juma', { now: T0 })],
  }),
  pair({
    is: 'chats of two customers that two people take: who watches misses neither, though both may change at the same time',
    both: [
      (store) => store.assign(WHO, 'neema', { now: T0 }),
      [(store) => store.assign({ ...WHO, number: 'branch' }, 'juma', { now: T0 }), watching(BOTH)],
    ],
    after: missed,
  }),
  pair({
    is: 'two notes: both are kept, in an order',
    both: [
      (store) => store.addNote(WHO, { who: 'neema', note: 'a' }, T0),
      (store) => store.addNote(WHO, { who: 'juma', note: 'b' }, T0),
    ],
  }),
  pair<Begun<StartedItem>>({
    is: 'a handler that asks for a person, and a chat that is taken: the customer waits, and the chat is somebody’s',
    before: (store) => running(store, first),
    both: [
      (store, { fence }) => store.askForPerson(WHO, { at: T0, now: T0 }, fence),
      (store) => store.assign(WHO, 'juma', { now: T0 }),
    ],
  }),
  pair<number[]>({
    is: 'messages that are given back, and a message: the bot has them as one item, in the lane with the next one',
    before: async (store) => {
      const ids = await rested(store)
      await takesOver({ since: T0 + 3 })(store)
      return ids
    },
    both: [(store, ids) => store.giveBack(WHO, ids, { by: 'neema', at: T0 + 4, now: T0 + 4 }), accepting(third, 'two')],
  }),
  pair<number[]>({
    is: 'messages that two people give back: the bot has them once',
    before: rested,
    both: [
      (store, ids) => store.giveBack(WHO, ids, { by: 'neema', at: T0 + 4, now: T0 + 4 }),
      (store, ids) => store.giveBack(WHO, ids, { by: 'juma', at: T0 + 4, now: T0 + 4 }),
    ],
  }),
  pair<number[]>({
    is: 'messages that are given back, and the answer of a person: what an answer saw is not given back, or the wait has ended',
    before: rested,
    both: [
      (store, ids) => store.giveBack(WHO, ids, { by: 'neema', at: T0 + 4, now: T0 + 4 }),
      (store, ids) => store.openSend(by('juma', Math.max(...ids), his)),
    ],
  }),
  pair<Begun<StartedItem>>({
    is: 'a handler that opens a conversation, and a message: the message begins in the conversation, or behind its opening',
    before: (store) => running(store, first),
    both: [converses(opens(BOOKING)), accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a conversation that a person ends, and its next answer: it has one end',
    before: conversing,
    both: [
      (store) => store.endConversation(BOOKING.id, T0),
      converses({
        id: BOOKING.id,
        steps: [{ step: 0, kind: 'ask', name: 'day', result: '1' }],
        next: { waits: { ...WAITS, step: 1 } },
      }),
    ],
  }),
  pair<Begun<StartedItem>>({
    is: 'a conversation that a person ends, and another one that is opened: a customer has one at most',
    before: conversing,
    both: [(store) => store.endConversation(BOOKING.id, T0), converses(opens(SURVEY))],
  }),
  pair({
    is: 'one entry from two processes: the same wish is kept once',
    both: [(store) => store.recordEntry(entry, T0), (store) => store.recordEntry(entry, T0)],
  }),
  pair({
    is: 'an entry and a message: they are in one lane',
    both: [(store) => store.recordEntry(entry, T0), accepting(first, 'two')],
  }),
  pair<Begun<StartedItem>>({
    is: 'a result of a script, and a claim that declares its process dead: a freed item keeps no step',
    before: (store) => running(store, first),
    both: [
      (store, { fence, work }) => store.keepStep(fence, work.id, BOOKING, STEP, T0),
      claiming('heir', { now: T0 + HOUR }),
    ],
  }),
  pair<Begun<StartedItem>>({
    is: 'a result of a script, and a session from outside: neither touches the other',
    before: (store) => running(store, first),
    both: [(store, { fence, work }) => store.keepStep(fence, work.id, BOOKING, STEP, T0), puts(undefined, '{"a":1}')],
  }),
]
