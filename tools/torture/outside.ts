/**
 * What happens beside the messages: the service reports the status of a reply while its answer is recorded, and the app
 * writes sessions, takes customers over and announces to customers who opt out meanwhile. Each act counts if it was answered.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Emulator } from 'switchhook/emulator'
import { seededRandom } from '../../src/emulator/model/ids.ts'
import type { Act } from './acts.ts'
import type { Report, SendNote } from './app.ts'
import { LEASE_MS, partsOf, type Who } from './decks.ts'
import type { Ground, Row } from './ground.ts'
import type { Plan } from './plan.ts'
import { type Delivery, messageFrom, type Poster, statusOf } from './post.ts'
import type { App } from './processes.ts'
import type { Finding } from './verdict.ts'

const GUESTS = 6
const REPORTED = 0.5
const REPEATED = 0.3
const RETRY_AFTER_MS = 25
const PAUSE_MS = 100
/** A frozen process answers later than that, if at all. */
const ANSWERS_WITHIN_MS = 5_000
/** An act without an answer may still be done by a process that was frozen, or parted from the database. */
const MAY_COME_MS = 30_000
const PER_MINUTE = 240
/** A send that was claimed before the opt-out may go out after it, also by a process that stands still meanwhile. */
const UNDER_WAY_MS = LEASE_MS + 15_000

interface Counted {
  asked: number
  done: number
}

export interface Outside {
  hear(report: Report): void
  /** Resolves when all that was begun has ended. */
  end(): Promise<void>
  judge(evidence: { readonly sendNotes: readonly SendNote[]; readonly emulator: Emulator }): Promise<Finding[]>
  summary(): string
}

export function startOutside(o: {
  plan: Plan
  poster: Poster
  ground: Pick<Ground, 'read'>
  app: (who: Who) => App
  url: (who: Who) => string
}): Outside {
  const { receivers, workers } = partsOf(o.plan.team)
  const random = seededRandom(o.plan.seed + 1)
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T
  const traffic = [...o.plan.bursts.keys()]
  const recipients = Array.from(
    { length: Math.min(200, Math.ceil(traffic.length / 2)) },
    (_, nth) => `2557140000${nth + 10}`,
  )
  const statuses = new Map<string, { acknowledged: boolean }>()
  const sessions = new Map<string, Counted>()
  const optedOutAt = new Map<string, number>()
  const findings: Finding[] = []
  const answers = new Map<number, (error: string | undefined) => void>()
  const posting = new Set<Promise<void>>()
  let acts = 0
  let answered = 0
  let over = false

  /** False if nobody answered in time: it may be done later, or never. */
  async function act(doing: Act): Promise<boolean> {
    const nth = ++acts
    const app = o.app(one(workers))
    const answer = new Promise<boolean>((resolve) => answers.set(nth, (error) => resolve(error === undefined)))
    app.order({ do: 'act', act: doing, nth })
    const done = await Promise.race([answer, app.ended.then(() => false), wait(ANSWERS_WITHIN_MS).then(() => false)])
    answers.delete(nth)
    if (done) answered++
    return done
  }

  async function deliver(delivery: Delivery): Promise<void> {
    for (;;) {
      const outcome = await o.poster.post(o.url(one(receivers)), delivery)
      if ('status' in outcome && outcome.status === 200) return
      await wait(RETRY_AFTER_MS)
    }
  }

  function begin(work: Promise<void>): void {
    posting.add(work)
    void work.finally(() => posting.delete(work))
  }

  async function reportStatus(message: string, upstream: string | undefined, customer: string): Promise<void> {
    const story = { acknowledged: false }
    statuses.set(message, story)
    const delivery = statusOf(message, upstream, customer)
    await Promise.all([deliver(delivery), random() < REPEATED ? deliver(delivery) : undefined])
    story.acknowledged = true
  }

  async function writeSessions(): Promise<void> {
    while (!over) {
      const customer = one(traffic)
      const counted = sessions.get(customer) ?? { asked: 0, done: 0 }
      sessions.set(customer, counted)
      counted.asked++
      if (await act({ what: 'session', customer })) counted.done++
      await wait(random() * PAUSE_MS)
    }
  }

  /** An act that was answered is seen in the database, although messages of the customer are stored meanwhile. */
  async function takeOver(customer: string): Promise<void> {
    const state = async () =>
      JSON.stringify(
        await o.ground.read(
          `SELECT taken_by, taken_since, taken_until, resumed_at FROM customers WHERE customer = '${customer}'`,
        ),
      )
    for (let nth = 0; !over; nth++) {
      begin(deliver(messageFrom(customer, `guest ${customer} ${nth}`)))
      try {
        const before = await state()
        const what = nth % 2 === 0 ? 'take over' : 'resume'
        if (!(await act({ what, customer }))) await wait(MAY_COME_MS)
        else if ((await state()) === before)
          findings.push({ says: `${what} of ${customer} was answered, and is not in the database: ${before}` })
      } catch {} // the server is down
      await wait(random() * PAUSE_MS)
    }
  }

  async function announce(): Promise<void> {
    while (!over && !(await act({ what: 'announce', customers: recipients, perMinute: PER_MINUTE })))
      await wait(PAUSE_MS)
    for (const customer of recipients.toReversed().filter((_, nth) => nth % 2 === 0)) {
      if (over) return
      if (await act({ what: 'opt out', customer })) optedOutAt.set(customer, Date.now())
      await wait(random() * 3 * PAUSE_MS)
    }
  }

  const guests = Array.from({ length: GUESTS }, (_, nth) => `25571300000${nth}`)
  const all = Promise.all([writeSessions(), writeSessions(), announce(), ...guests.map(takeOver)])

  return {
    hear(report) {
      if (report.kind === 'refused') findings.push({ says: `${report.operation} was refused with ${report.code}` })
      if (report.kind === 'acted') answers.get(report.nth)?.(report.error)
      if (report.kind !== 'took' || statuses.has(report.message) || random() >= REPORTED) return
      begin(reportStatus(report.message, report.upstream, report.customer))
    },
    async end() {
      over = true
      await all
      while (posting.size > 0) await Promise.all(posting)
    },
    async judge({ sendNotes, emulator }) {
      const sends = await o.ground.read('SELECT key, state, customer, message_id FROM sends')
      return [
        ...findings,
        ...judgeStatuses(sends, await o.ground.read('SELECT message, status, stray FROM statuses')),
        ...judgeSessions(await o.ground.read('SELECT customer, session FROM customers WHERE session IS NOT NULL')),
        ...(await judgeAnnouncement(sends, sendNotes, emulator)),
      ]
    },
    summary: () =>
      `${statuses.size} statuses beside answers, ${answered} of ${acts} acts from outside answered, ${optedOutAt.size} opted out of an announcement to ${recipients.length}`,
  }

  function judgeStatuses(sends: readonly Row[], rows: readonly Row[]): Finding[] {
    const accepted = new Set(sends.filter(({ state }) => state === 'accepted').map((row) => row['message_id']))
    const kept = Map.groupBy(rows, (row) => row['message'])
    return [...statuses].flatMap(([message, { acknowledged }]) => {
      if (!acknowledged) return [{ says: `a status of ${message} was not acknowledged` }]
      const found = kept.get(message) ?? []
      if (found.length !== 1)
        return [{ says: `an acknowledged status of ${message} is ${found.length} times in the database` }]
      const isStray = found[0]?.['stray'] === 1
      return isStray && accepted.has(message)
        ? [{ says: `the status of ${message} is a stray, and its send was accepted` }]
        : []
    })
  }

  function judgeSessions(rows: readonly Row[]): Finding[] {
    const kept = new Map(rows.map((row) => [row['customer'], String(row['session'])]))
    return [...sessions].flatMap(([customer, { asked, done }]) => {
      const { outside = 0 } = JSON.parse(kept.get(customer) ?? '{}') as { outside?: number }
      if (outside >= done && outside <= asked) return []
      return [
        { says: `the session of ${customer} counts ${outside} writes from outside; ${done} of ${asked} were answered` },
      ]
    })
  }

  async function judgeAnnouncement(
    sends: readonly Row[],
    notes: readonly SendNote[],
    emulator: Emulator,
  ): Promise<Finding[]> {
    const rows = await o.ground.read('SELECT customer, state FROM recipients')
    const firstAsked = new Map<string, number>()
    for (const { what, of, at } of notes) if (what === 'asked' && !firstAsked.has(of)) firstAsked.set(of, at)
    const found: Finding[] = rows
      .filter(({ state }) => state === 'waiting')
      .map(({ customer }) => ({ says: `the announcement never reached its recipient ${String(customer)}` }))
    for (const customer of recipients) {
      const copies = (await emulator.customer(customer).thread()).filter(
        ({ direction, refused }) => direction === 'OUTBOUND' && !refused,
      )
      if (copies.length > 1 && o.plan.keysRememberedFor === '24h')
        found.push({ says: `${copies.length} copies of the announcement for ${customer}` })
      const outAt = optedOutAt.get(customer)
      for (const { key } of sends.filter((send) => send['customer'] === customer))
        if (outAt !== undefined && (firstAsked.get(String(key)) ?? 0) > outAt + UNDER_WAY_MS)
          found.push({
            says: `the announcement went to ${customer} ${(firstAsked.get(String(key)) ?? 0) - outAt} ms after they had opted out`,
          })
    }
    return found
  }
}
