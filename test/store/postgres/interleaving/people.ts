import type { Store } from '../../../../src/store/store.ts'
import type {
  Begun,
  ConversationChange,
  DueSend,
  NewConversation,
  NewSend,
  NewTakeover,
  StartedItem,
} from '../../../../src/store/types/types.ts'
import { ACCEPTED, HOUR, send, T0, WHO } from '../../samples.ts'
import { accepting, attempted, claiming, message, missed, opening, running, settling, watching } from './samples.ts'
import { pair, type Pair } from './play.ts'

const BOTH = [WHO, { ...WHO, number: 'branch' }]
const first = message('first')
const second = message('second', { at: T0 + 1 })
const third = message('third', { at: T0 + 2 })
const overtaken = message(
  'BOT',
  { at: T0 + 3 },
  { takeovers: [{ ...WHO, by: 'agent', since: T0 + 3, until: T0 + HOUR }] },
)
const handsOver: NewTakeover = { ...WHO, by: 'person', since: T0, until: T0 + HOUR }
const takesOver =
  (given: Partial<NewTakeover> = {}) =>
  (store: Store) =>
    store.takeOver({ ...handsOver, ...given })
const puts = (before: string | undefined, value: string) => (store: Store) =>
  store.putSession(WHO, { before, readAt: T0, value, version: 1, expiresAt: undefined })

const reply = send({ unlessTakenAt: T0 + 1 })
const written: NewSend = { ...send(), slot: 'person:1', byPerson: { writer: 'neema', seen: 1 } }
const by = (writer: string, seen: number, one: NewSend): NewSend => ({
  ...one,
  slot: `person:${writer}`,
  byPerson: { writer, seen, saw: { message: seen, send: 0 }, takesOver: { since: T0, until: T0 + HOUR } },
})
const [hers, his] = [send(), send()]

/** Two messages that rested for a person: the ids of their items. */
async function rested(store: Store): Promise<number[]> {
  const ids: number[] = []
  for (const one of [first, second]) {
    const begun = await running(store, one)
    await settling({ as: { as: 'rested', waits: 'wrote' } })(store, begun)
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
const rests = (store: Store, { begun }: Resting) => settling({ as: { as: 'rested', waits: 'wrote' } })(store, begun)

const BOOKING: NewConversation = { ...WHO, id: 'c_booking', name: 'booking', version: 1, input: undefined }
const SURVEY: NewConversation = { ...BOOKING, id: 'c_survey', name: 'survey' }
const WAITS = { step: 0, for: 'answer', since: T0, dueAt: undefined } as const
const opens = (opened: NewConversation): ConversationChange => ({
  id: opened.id,
  opens: opened,
  steps: [{ step: 0, kind: 'ask', name: 'day', result: undefined }],
  next: { waits: WAITS },
})
const converses = (...conversations: readonly ConversationChange[]) => settling({ as: { as: 'done', conversations } })
const conversing = async (store: Store) => {
  await converses(opens(BOOKING))(store, await running(store, first))
  return running(store, second)
}
const entry = { ...WHO, name: 'booking', version: 1, input: undefined, key: 'entry-1', at: T0 }
const STEP = { step: 0, kind: 'once', name: 'free', result: '1' } as const

/** A customer’s state, from outside and from their messages, and what people do with it. */
export const people: readonly Pair[] = [
  pair({
    of: 'two sessions from outside',
    why: 'the second one finds that it is no longer as it was read',
    one: [puts(undefined, '{"a":1}')],
    other: [puts(undefined, '{"b":1}')],
  }),
  pair({
    of: 'two sessions from outside on top of one',
    why: 'the same of a customer who is known',
    before: (store) => puts(undefined, '{}')(store) as Promise<never>,
    one: [puts('{}', '{"a":1}')],
    other: [puts('{}', '{"b":1}')],
  }),
  pair({
    of: 'a session from outside, and a message',
    why: 'the message begins with it or without, and the window stays',
    one: [puts(undefined, '{"a":1}')],
    other: [accepting(first, 'two')],
  }),
  pair({
    of: 'a take-over and a message',
    why: 'the message begins knowing who has its customer',
    one: [takesOver()],
    other: [accepting(first, 'two')],
  }),
  pair({
    of: 'a take-over by the message itself, and one from outside',
    why: 'the later one counts',
    one: [takesOver()],
    other: [accepting(overtaken, 'two')],
  }),
  pair({
    of: 'two take-overs',
    why: 'the later one counts',
    one: [takesOver()],
    other: [takesOver({ by: 'agent', since: T0 + 1, until: T0 + 2 * HOUR })],
  }),
  pair({
    of: 'a take-over and its end',
    why: 'an end counts for what it follows',
    before: (store) => takesOver()(store) as Promise<never>,
    one: [(store) => store.resume(WHO, T0 + 5)],
    other: [takesOver({ by: 'agent', since: T0 + 4, until: T0 + 2 * HOUR })],
  }),
  pair({
    of: 'the end of a take-over, and a message',
    why: 'the message begins knowing that the bot has its customer',
    before: (store) => takesOver()(store) as Promise<never>,
    one: [(store) => store.resume(WHO, T0 + 5)],
    other: [accepting(first, 'two')],
  }),
  pair({
    of: 'a take-over and a reply',
    why: 'a reply behind it is skipped, and one before it goes out',
    one: [takesOver()],
    other: [opening(reply, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a take-over from outside, and by a handler',
    why: 'the handler’s names its item',
    before: (store) => running(store, first),
    one: [takesOver()],
    other: [(store, { fence }) => store.takeOver({ ...handsOver, since: T0 + 1 }, fence)],
  }),
  pair<Begun<DueSend>>({
    of: 'a hand-over and the answer of a person',
    why: 'the wait begins behind the answer, or ends with it',
    before: async (store) => {
      await rested(store)
      return attempted(store, written)
    },
    one: [takesOver({ since: T0 + 6 })],
    other: [answers],
  }),
  pair<Begun<DueSend>>({
    of: 'a message that rests, and the answer of a person',
    why: 'what the writer had not seen waits on',
    before: async (store) => {
      await rested(store)
      return attempted(store, written)
    },
    one: [accepting(third, 'one'), claiming('one')],
    other: [answers],
  }),
  pair<Resting>({
    of: 'a settlement that rests, and the answer of a person',
    why: 'the wait ends, and begins again from the later message',
    before: async (store) => ({ ...(await restsToo(store)), answer: await attempted(store, written, 'two') }),
    one: [rests],
    other: [(store, given) => answers(store, (given as unknown as { answer: Begun<DueSend> }).answer)],
  }),
  pair<number[]>({
    of: 'a person who writes, and a message',
    why: 'nothing is sent over a message that its writer has not seen',
    before: rested,
    one: [(store, ids) => store.openSend(by('neema', Math.max(...ids), hers))],
    other: [accepting(third, 'two')],
  }),
  pair<number[]>({
    of: 'two people who write',
    why: 'the second has not seen the first',
    before: rested,
    one: [(store, ids) => store.openSend(by('neema', Math.max(...ids), hers))],
    other: [(store, ids) => store.openSend(by('juma', Math.max(...ids), his))],
  }),
  pair<number[]>({
    of: 'a person who takes a customer, and a message',
    why: 'it rests, or was begun before',
    before: rested,
    one: [takesOver({ waits: false })],
    other: [accepting(third, 'two')],
  }),
  pair<number[]>({
    of: 'a dismissal and a message',
    why: 'it is refused if the customer has written since',
    before: rested,
    one: [dismissing(false)],
    other: [accepting(third, 'two')],
  }),
  pair<Resting>({
    of: 'a dismissal and a settlement that rests',
    why: 'the later message waits on',
    before: restsToo,
    one: [(store, { ids }) => dismissing(true)(store, ids)],
    other: [rests],
  }),
  pair<number[]>({
    of: 'two people who dismiss',
    why: 'one of them did it',
    before: rested,
    one: [dismissing(false)],
    other: [dismissing(true)],
  }),
  pair<Resting>({
    of: 'a snooze and a settlement that rests',
    why: 'a new message ends the snooze',
    before: restsToo,
    one: [(store) => store.snoozeWait(WHO, T0 + HOUR, T0)],
    other: [rests],
  }),
  pair<number[]>({
    of: 'a snooze and a dismissal',
    why: 'nobody snoozes a wait that has ended',
    before: rested,
    one: [(store) => store.snoozeWait(WHO, T0 + HOUR, T0)],
    other: [dismissing(true)],
  }),
  pair<Resting>({
    of: 'a chat that is passed on, and a settlement that rests',
    why: 'neither loses what the other wrote in the row',
    before: restsToo,
    one: [(store) => store.assign(WHO, 'juma', { note: { who: 'neema', note: 'please', passedTo: 'juma' }, now: T0 })],
    other: [rests],
  }),
  pair<number[]>({
    of: 'a chat that is passed on, and the answer of a person',
    why: 'the wait ends, and the chat is the other’s',
    before: async (store) => [await attempted(store, written)] as never,
    one: [(store) => store.assign(WHO, 'juma', { now: T0 })],
    other: [(store, [begun]) => answers(store, begun as never)],
  }),
  pair({
    of: 'a chat that two people take',
    why: 'it is the second one’s, and each change is shown to who watches',
    one: [(store) => store.assign(WHO, 'neema', { now: T0 })],
    other: [(store) => store.assign(WHO, 'juma', { now: T0 })],
  }),
  pair({
    of: 'chats of two customers that two people take',
    why: 'who watches misses neither, though both may change at the same time',
    one: [(store) => store.assign(WHO, 'neema', { now: T0 })],
    other: [(store) => store.assign({ ...WHO, number: 'branch' }, 'juma', { now: T0 }), watching(BOTH)],
    after: missed,
  }),
  pair({
    of: 'two notes',
    why: 'both are kept, in an order',
    one: [(store) => store.addNote(WHO, { who: 'neema', note: 'a' }, T0)],
    other: [(store) => store.addNote(WHO, { who: 'juma', note: 'b' }, T0)],
  }),
  pair<Begun<StartedItem>>({
    of: 'a handler that asks for a person, and a chat that is taken',
    why: 'the customer waits, and the chat is somebody’s',
    before: (store) => running(store, first),
    one: [(store, { fence }) => store.askForPerson(WHO, { at: T0, now: T0 }, fence)],
    other: [(store) => store.assign(WHO, 'juma', { now: T0 })],
  }),
  pair<number[]>({
    of: 'messages that are given back, and a message',
    why: 'the bot has them as one item, in the lane with the next one',
    before: async (store) => {
      const ids = await rested(store)
      await takesOver({ since: T0 + 3 })(store)
      return ids
    },
    one: [(store, ids) => store.giveBack(WHO, ids, { by: 'neema', at: T0 + 4, now: T0 + 4 })],
    other: [accepting(third, 'two')],
  }),
  pair<number[]>({
    of: 'messages that two people give back',
    why: 'the bot has them once',
    before: rested,
    one: [(store, ids) => store.giveBack(WHO, ids, { by: 'neema', at: T0 + 4, now: T0 + 4 })],
    other: [(store, ids) => store.giveBack(WHO, ids, { by: 'juma', at: T0 + 4, now: T0 + 4 })],
  }),
  pair<number[]>({
    of: 'messages that are given back, and the answer of a person',
    why: 'what an answer saw is not given back, or the wait has ended',
    before: rested,
    one: [(store, ids) => store.giveBack(WHO, ids, { by: 'neema', at: T0 + 4, now: T0 + 4 })],
    other: [(store, ids) => store.openSend(by('juma', Math.max(...ids), his))],
  }),
  pair<Begun<StartedItem>>({
    of: 'a handler that opens a conversation, and a message',
    why: 'the message begins in the conversation, or behind its opening',
    before: (store) => running(store, first),
    one: [converses(opens(BOOKING))],
    other: [accepting(second, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a conversation that a person ends, and its next answer',
    why: 'it has one end',
    before: conversing,
    one: [(store) => store.endConversation(BOOKING.id, T0)],
    other: [
      converses({
        id: BOOKING.id,
        steps: [{ step: 0, kind: 'ask', name: 'day', result: '1' }],
        next: { waits: { ...WAITS, step: 1 } },
      }),
    ],
  }),
  pair<Begun<StartedItem>>({
    of: 'a conversation that a person ends, and another one that is opened',
    why: 'a customer has one at most',
    before: conversing,
    one: [(store) => store.endConversation(BOOKING.id, T0)],
    other: [converses(opens(SURVEY))],
  }),
  pair({
    of: 'one entry from two processes',
    why: 'the same wish is kept once',
    one: [(store) => store.recordEntry(entry, T0)],
    other: [(store) => store.recordEntry(entry, T0)],
  }),
  pair({
    of: 'an entry and a message',
    why: 'they are in one lane',
    one: [(store) => store.recordEntry(entry, T0)],
    other: [accepting(first, 'two')],
  }),
  pair<Begun<StartedItem>>({
    of: 'a result of a script, and a claim that declares its process dead',
    why: 'a freed item keeps no step',
    before: (store) => running(store, first),
    one: [(store, { fence, work }) => store.keepStep(fence, work.id, BOOKING, STEP, T0)],
    other: [claiming('heir', { now: T0 + HOUR })],
  }),
  pair<Begun<StartedItem>>({
    of: 'a result of a script, and a session from outside',
    why: 'neither touches the other',
    before: (store) => running(store, first),
    one: [(store, { fence, work }) => store.keepStep(fence, work.id, BOOKING, STEP, T0)],
    other: [puts(undefined, '{"a":1}')],
  }),
]
