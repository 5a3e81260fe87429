import { isAwaiting } from '../../../../src/features/announcements/store/announcement-rows.ts'
import type { RecipientClaim } from '../../../../src/features/announcements/store/announcement-work.ts'
import type { Store } from '../../../../src/store/store.ts'
import { HOUR, JUMA, LEASE_MS, NEEMA, REFUSED, send, T0, UNKNOWN, WHO } from '../../samples.ts'
import { announced, NEWS } from '../../announced.ts'
import { accepting, attempted, begins, message, of, opening } from './samples.ts'
import { pair, type Pair } from './play.ts'
import type { NewSend } from '../../../../src/store/outbox/rows.ts'
import type { ThrottleMove } from '../../../../src/store/outbox/throttles.ts'
import type { Begun } from '../../../../src/store/work/lanes.ts'
import type { DueSend, SendSettlement } from '../../../../src/store/outbox/send-attempts.ts'

const [first, second] = [send(), send()]
const again: NewSend = { ...first, id: 'another-id', body: '{"text":"other"}' }
const juma = send({ customer: JUMA })
const scheduled = send({ dueAt: T0 + 9 })
const TAKES = { as: 'accepted', messageId: 'm1', upstreamId: 'w1', possiblyTwice: false } as const
const parts = [send(), send()] as const
const inParts: NewSend = {
  ...parts[0],
  part: { of: parts[0].key, nth: 1 },
  later: [{ ...parts[1], part: { of: parts[0].key, nth: 2 } }],
}

const ends =
  (as: SendSettlement, o: { goOn?: boolean; throttle?: ThrottleMove } = {}) =>
  (store: Store, { fence, work }: Begun<DueSend>) =>
    store.settleSend(fence, work.send.id, as, { now: T0, goOn: o.goOn ?? true }, o.throttle)
const claimingSends =
  (processName: string, now = T0, serviceNow = now) =>
  (store: Store) =>
    store.claimSends({ ...begins(processName, now), limit: 9, serviceNow })
const status = (messageId: string | undefined, upstreamId: string | undefined, name = 'delivered') =>
  of([], { statuses: [{ number: 'default', messageId, upstreamId, status: name, at: T0, reason: undefined }] })
const [early, byUpstream, naming] = [
  status('m1', undefined),
  status(undefined, 'w1', 'read'),
  status('m1', 'w1', 'sent'),
]
const failed = status('m1', undefined, 'failed')
const pause = (inARow: number, seen?: number): ThrottleMove => ({
  number: 'default',
  move: { stopped: false, closedUntil: T0 + 1_000 * inARow, inARow, code: 'rate_limited', reason: 'too many' },
  ...(seen !== undefined && { seen }),
})
const resumed: ThrottleMove = { number: 'default', move: 'resumed', seen: 1 }
const readStatuses = async (store: Store) => {
  const row = await store.findSend({ id: first.id })
  return row && (await store.statusesOf(row)).map((one) => one.status)
}

const announcedTo = (store: Store, ...customers: readonly string[]) =>
  announced(store, customers, { perHour: 3_600_000 })
const recipients =
  (processName: string, given: Partial<RecipientClaim> = {}) =>
  (store: Store) =>
    store.claimRecipients({
      ...begins(processName),
      serviceNow: T0,
      room: 2,
      worked: [],
      functions: [],
      anyNumber: true,
      ...given,
    })
const toAnnounced = (announcement: number): NewSend => ({
  ...news,
  onlyIf: () => isAwaiting(announcement, news.customer),
})
const news = send({ marketing: { at: T0, anyNumber: true } })

/** What is sent, and what becomes of it. */
export const outgoing: readonly Pair[] = [
  pair({
    is: 'a send under one key in two processes: it is recorded once, and its other caller finds it',
    both: [opening(first, 'one'), opening(again, 'two')],
  }),
  pair({
    is: 'a send under one key in two processes, which was refused before: it is opened again once',
    before: async (store) => void (await ends(REFUSED)(store, await attempted(store, first))),
    both: [opening(first, 'one'), opening(again, 'two')],
  }),
  pair({
    is: 'a send under one id in two processes: an id is of one send',
    both: [opening(first, 'one'), opening({ ...second, id: first.id }, 'two')],
  }),
  pair({
    is: 'two sends to a customer: one begins, and the other waits behind it in the order of recording',
    both: [opening(first, 'one'), opening(second, 'two')],
  }),
  pair({ is: 'sends to two customers: both begin', both: [opening(first, 'one'), opening(juma, 'two')] }),
  pair({
    is: 'a message in parts, and a send to its customer: nothing comes between its parts',
    both: [opening(inParts, 'one'), opening(second, 'two')],
  }),
  pair<Begun<DueSend>>({
    is: 'a settlement of a send, and the next one: the next one is begun by the settlement, or begins itself',
    before: (store) => attempted(store, first),
    both: [ends(TAKES), opening(second, 'two')],
  }),
  pair<Begun<DueSend>>({
    is: 'a settlement of a send, and a claim: what waits behind it is begun once',
    before: async (store) => {
      const begun = await attempted(store, first)
      await opening(second)(store)
      return begun
    },
    both: [ends(TAKES, { goOn: false }), claimingSends('two')],
  }),
  pair({
    is: 'two claims of sends: no send is begun twice',
    before: async (store) => {
      for (const one of [first, second, juma]) await opening(one)(store)
    },
    both: [claimingSends('one'), claimingSends('two')],
  }),
  pair({
    is: 'a claim of sends, and a send: it is begun by one of them',
    before: async (store) => void (await opening(juma)(store)),
    both: [claimingSends('one'), opening(first, 'two')],
  }),
  pair({
    is: 'two claims of a send that is due: it enters its lane once',
    before: async (store) => void (await opening(scheduled)(store)),
    both: [claimingSends('one', T0, T0 + 9), claimingSends('two', T0, T0 + 9)],
  }),
  pair({
    is: 'a claim of a send that is due, and one to its customer: what comes due goes behind what waits',
    before: async (store) => void (await opening(scheduled)(store)),
    both: [claimingSends('one', T0, T0 + 9), opening(first, 'two')],
  }),
  pair({
    is: 'a claim of a send, and its cancelling: it goes out, or it is cancelled',
    before: async (store) => void (await opening(first)(store)),
    both: [claimingSends('one'), (store) => store.cancelSend(first.key, T0)],
  }),
  pair<Begun<DueSend>>({
    is: 'the beginning of an attempt, and a claim that declares its process dead: no byte leaves from a process whose send another has',
    before: async (store) => {
      await opening(first)(store)
      return (await claimingSends('one')(store)).begun[0] as Begun<DueSend>
    },
    both: [(store, { fence }) => store.beginSend(fence, first.id, 'freeform', T0), claimingSends('two', T0 + LEASE_MS)],
  }),
  pair<Begun<DueSend>>({
    is: 'a settlement of a send, and a claim that declares its process dead: it is settled once',
    before: (store) => attempted(store, first),
    both: [ends(TAKES), claimingSends('two', T0 + LEASE_MS)],
  }),
  pair<Begun<DueSend>>({
    is: 'the answer to a send, and its status: a status that came first is a stray, and is the send’s once its id is known',
    before: (store) => attempted(store, first),
    both: [ends(TAKES), accepting(early)],
    after: readStatuses,
  }),
  pair<Begun<DueSend>>({
    is: 'the answer to a send, and its status under the upstream platform’s id: the same by the other id',
    before: (store) => attempted(store, first),
    both: [ends(TAKES), accepting(byUpstream)],
    after: readStatuses,
  }),
  pair<Begun<DueSend>>({
    is: 'the answer to a send of a person, and its failure: the customer waits again, whichever comes first',
    before: (store) => attempted(store, { ...first, slot: 'person:1', byPerson: { writer: 'neema', seen: 0 } }),
    both: [ends(TAKES), accepting(failed)],
    after: (store) => store.peopleRows([WHO]),
  }),
  pair<Begun<DueSend>>({
    is: 'the beginning of an attempt, and a status of its message: a status may come before the answer',
    before: async (store) => {
      await opening(first)(store)
      return (await claimingSends('one')(store)).begun[0] as Begun<DueSend>
    },
    both: [[(store, { fence }) => store.beginSend(fence, first.id, 'freeform', T0), ends(TAKES)], accepting(early)],
    after: readStatuses,
  }),
  pair({
    is: 'a status that names the upstream platform’s id, and one under it: what came under an id that nobody knew is adopted',
    before: async (store) =>
      void (await ends({ ...TAKES, upstreamId: undefined })(store, await attempted(store, first))),
    both: [accepting(naming), accepting(byUpstream)],
    after: readStatuses,
  }),
  pair<Begun<DueSend>>({
    is: 'the pruning of strays, and the answer to a send: a status that the answer adopts is not pruned as a stray',
    before: async (store) => {
      await accepting(early)(store)
      return attempted(store, first)
    },
    both: [
      ends(TAKES),
      (store) =>
        store.prune({
          bytesBefore: 0,
          idsBefore: 0,
          now: T0 + 49 * HOUR,
          limit: 9,
          after: { stage: 'strays', at: [] },
        }),
    ],
    after: readStatuses,
  }),
  pair({
    is: 'the pruning of strays, and a status: a fresh stray stays',
    before: async (store) => void (await accepting(early)(store)),
    both: [
      accepting(byUpstream),
      (store) =>
        store.prune({
          bytesBefore: 0,
          idsBefore: 0,
          now: T0 + 49 * HOUR,
          limit: 9,
          after: { stage: 'strays', at: [] },
        }),
    ],
  }),
  pair<Begun<DueSend>>({
    is: 'an answer that pauses a number, and a send of it: what is recorded behind the pause waits for it',
    before: (store) => attempted(store, first),
    both: [
      ends({ as: 'ready', at: T0 + 9, code: 'rate_limited', reason: 'x' }, { throttle: pause(1, 0) }),
      opening(juma, 'two'),
    ],
  }),
  pair<Begun<DueSend>[]>({
    is: 'two answers that pause a number: the pause grows by what the attempt knew of it, once',
    before: async (store) => [await attempted(store, first), await attempted(store, juma, 'two')],
    both: [
      (store, [one]) => ends(REFUSED, { throttle: pause(1, 0) })(store, one as Begun<DueSend>),
      (store, [, other]) => ends(REFUSED, { throttle: pause(2, 0) })(store, other as Begun<DueSend>),
    ],
  }),
  pair<Begun<DueSend>[]>({
    is: 'an answer that ends a pause, and one that lengthens it: an older answer ends no newer pause',
    before: async (store) => {
      const begun = [await attempted(store, first), await attempted(store, juma, 'two')]
      await ends(REFUSED, { throttle: pause(1) })(store, await attempted(store, toNeema))
      return begun
    },
    both: [
      (store, [one]) => ends(TAKES, { throttle: resumed })(store, one as Begun<DueSend>),
      (store, [, other]) => ends(REFUSED, { throttle: pause(2, 1) })(store, other as Begun<DueSend>),
    ],
  }),
  pair({
    is: 'two claims of a probe: one send finds out whether the number may send again',
    before: async (store) => {
      await ends(REFUSED, { throttle: pause(1) })(store, await attempted(store, first))
      await opening(second)(store)
      await opening(juma)(store)
    },
    both: [claimingSends('one', T0 + 1_000), claimingSends('two', T0 + 1_000)],
  }),
  pair<Begun<DueSend>>({
    is: 'a number that a person resumes, and a send of it: what is held goes out, or stays held',
    several: true,
    before: async (store) => {
      await ends(REFUSED, { throttle: { ...pause(1), move: { ...pauseOf(1), stopped: true } } })(
        store,
        await attempted(store, toNeema),
      )
      await opening(second)(store)
      return attempted(store, juma).catch(() => undefined as never)
    },
    both: [(store) => store.resumeSends({ restored: false }), opening(first, 'two')],
  }),
  pair<Begun<DueSend>>({
    is: 'a caller who waits no more, and the end of its send: a failure that nobody waits for is reported once',
    before: (store) => attempted(store, { ...first, awaitedUntil: T0 + HOUR }),
    both: [
      (store) => store.stopAwaiting(first.id),
      (store, { fence }) => store.settleSend(fence, first.id, REFUSED, { now: T0, goOn: true }, undefined, () => false),
    ],
  }),
  pair<Begun<DueSend>>({
    is: 'an unknown send that a person has sent again, and one to its customer: the order of recording holds',
    before: async (store) => {
      const begun = await attempted(store, first)
      await ends(UNKNOWN)(store, begun)
      return begun
    },
    both: [(store) => store.resolveSend(first.id, 'resend', T0), opening(second, 'two')],
  }),
  pair({
    is: 'two people who settle an unknown send: the first one decides',
    before: async (store) => void (await ends(UNKNOWN)(store, await attempted(store, first))),
    both: [(store) => store.resolveSend(first.id, 'resend', T0), (store) => store.resolveSend(first.id, 'drop', T0)],
  }),
  pair({
    is: 'two taps on an option that counts once: the first one uses it',
    before: async (store) => void (await opening({ ...first, options: { ids: ['a'], once: true } })(store)),
    both: [(store) => store.useOption(first.id, 'one'), (store) => store.useOption(first.id, 'two')],
  }),
  pair({
    is: 'two one-time codes for one customer under the same keys: a code is made once, or the next key is used',
    both: [
      (store) => store.openCode({ ...first, lane: 'code/1' }, ['k1', 'k2'], begins('one')),
      (store) => store.openCode({ ...second, lane: 'code/2' }, ['k1', 'k2'], begins('two')),
    ],
  }),
  pair({
    is: 'an opt-out and a marketing send: what is recorded behind the opt-out does not go out',
    both: [(store) => store.optOut({ ...WHO, at: T0, how: 'STOP' }), opening(news, 'two')],
  }),
  pair({
    is: 'an opt-out on another number, and a marketing send: the customer is one on all numbers',
    both: [
      (store) => store.optOut({ number: 'branch', customer: WHO.customer, at: T0, how: 'STOP' }),
      opening(news, 'two'),
    ],
  }),
  pair({
    is: 'an opt-out in a message, and a marketing send: it counts from the commit that reads it',
    both: [
      accepting(
        message('STOP', { optOut: { says: 'out', at: T0, how: 'STOP', anyNumber: true, unlessAsked: false } }),
        'one',
      ),
      opening(news, 'two'),
    ],
  }),
  pair({
    is: 'an opt-out and an opt-in: the later one counts',
    both: [
      (store) => store.optOut({ ...WHO, at: T0, how: 'STOP' }),
      (store) => store.optIn({ ...WHO, at: T0 + 1, how: 'START' }, { anyNumber: true }),
    ],
  }),
  pair<number>({
    is: 'an opt-out and a claim of recipients: who opted out has an end, and gets nothing',
    before: (store) => announcedTo(store, WHO.customer, JUMA),
    both: [(store) => store.optOut({ ...WHO, at: T0, how: 'STOP' }), recipients('two')],
  }),
  pair<number>({
    is: 'two claims of recipients: an announcement has one owner, and its pace is not doubled',
    before: (store) => announcedTo(store, WHO.customer, JUMA, NEEMA),
    both: [recipients('one'), recipients('two')],
  }),
  pair<number>({
    is: 'two announcements under one name: there is one',
    both: [(store) => store.openAnnouncement(NEWS), (store) => store.openAnnouncement({ ...NEWS, content: '{}' })],
  }),
  pair<number>({
    is: 'two lists of recipients: each customer has one row, and the count is theirs',
    before: (store) => announcedTo(store, WHO.customer),
    both: [
      (store, id) => store.addRecipients(id, [{ customer: JUMA }, { customer: NEEMA }], T0),
      (store, id) => store.addRecipients(id, [{ customer: NEEMA }, { customer: JUMA }], T0),
    ],
  }),
  pair<number>({
    is: 'outcomes of recipients in two processes: the counts have all, and the last one ends it',
    before: (store) => announcedTo(store, WHO.customer, JUMA),
    both: [
      (store, id) => store.endRecipients(id, [{ customer: WHO.customer, end: 'sent' }], T0),
      (store, id) => store.endRecipients(id, [{ customer: JUMA, end: 'refused', code: 'x', reason: 'x' }], T0),
    ],
  }),
  pair<number>({
    is: 'an announcement that is paused, and a send of it: it is cancelled, or was not recorded',
    before: (store) => announcedTo(store, WHO.customer),
    both: [
      (store, id) => store.changeAnnouncement(id, 'paused', { now: T0 }),
      (store, id) => store.openSend(toAnnounced(id)),
    ],
  }),
  pair<number>({
    is: 'the end of a recipient, and a new one: an announcement that is done runs again',
    before: (store) => announcedTo(store, WHO.customer),
    both: [
      (store, id) => store.endRecipients(id, [{ customer: WHO.customer, end: 'sent' }], T0),
      (store, id) => store.addRecipients(id, [{ customer: JUMA }], T0),
    ],
  }),
  pair({
    is: 'a list of sends, and two sends: what is recorded with a lower number is not missed',
    both: [
      opening(first),
      [opening(juma), async (store) => ({ watched: (await store.listSends({ limit: 9 })).sends.length })],
    ],
    after: async (store) => (await store.listSends({ limit: 9 })).sends.map(({ id }) => id).toSorted(),
  }),
]

const toNeema = send({ customer: NEEMA })
const pauseOf = (inARow: number) => pause(inARow).move as Exclude<ThrottleMove['move'], 'resumed'>
