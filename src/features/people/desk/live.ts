import type { Timers } from '../../../base/clock.ts'
import type { Watched } from '../store/chat.ts'
import type { ResultOf } from '../../../store/store.ts'
import { EVENT_STREAM, GUARDS, Refused } from '../../../admin/admin-http.ts'
import { onlyOne } from '../../../admin/scope.ts'
import type { Visitor } from '../../../admin/door.ts'
import type { PageDeps } from '../../../admin/page-host.ts'
import type { Counts, DeskEvent, QueueRow } from './desk-api.ts'
import { idOf, loadChat, loadRows, showChat, showRow } from './desk-view.ts'
import type { Presence } from './presence.ts'
import type { Visits } from './visits.ts'
import type { CustomerOfNumber } from '../../../store/database/customer-tables.ts'

const EVERY_MS = 1_000
/** Many proxies end a connection that is silent for a minute or less. */
const PING_MS = 15_000
const AUTHORIZE_MS = 60_000
const RETRY_MS = 2_000
/** The most streams of a browser. Over HTTP/1 it opens six connections to a server, and needs some for requests. */
const MOST_OF_BROWSER = 4
const MOST_OF_PERSON = 20
/** The most bytes that wait for a slow reader. With more, the stream ends. Then the page reads everything again. */
const MOST_QUEUED = 4 * 1_048_576

/**
 * The search for changes rests for `RESTS_MS` after each `WORKS_MS` of work. Without rests, answers to deliveries would
 * be late: an answer takes several turns of the event loop.
 */
const WORKS_MS = 1
const RESTS_MS = 4
/** How many rows are read, and how many visits recorded, without a rest. */
const ROWS_AT_ONCE = 20
const VISITS_AT_ONCE = 10

const STREAM_HEADERS = {
  ...GUARDS,
  'Content-Type': EVENT_STREAM,
  // `no-transform` keeps proxies from compressing the stream, which would delay events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

interface LiveDeps {
  readonly presence: Presence
  readonly visits: Visits
  failed(error: unknown): void
}

/**
 * The open streams of this process. They share one query a second, which is cheap if nothing was committed. Each change
 * is read once, and sent to all people who may see it.
 */
export class Live {
  readonly #o: LiveDeps
  readonly #watchers = new Set<Watcher>()
  readonly #digests = new Map<string, string>()
  #watched: Watched | undefined
  #deps: PageDeps | undefined
  #isScheduled = false
  #isTicking = false

  constructor(o: LiveDeps) {
    this.#o = o
  }

  async open(
    visitor: Visitor,
    deps: PageDeps,
    { browser, again }: Pick<StreamDeps, 'browser' | 'again'>,
  ): Promise<Response> {
    const { store, clock, timers } = deps.desk
    this.#deps = deps
    const own = [...this.#watchers].filter((one) => one.visitor.who === visitor.who)
    const ofBrowser = own.filter((one) => browser !== '' && one.o.browser === browser)
    if (own.length >= MOST_OF_PERSON || ofBrowser.length >= MOST_OF_BROWSER)
      throw new Refused('not_possible', 'You have too many streams. This page reads again every few seconds.')
    const revealed = await visitor.mayReveal()
    // After the event `hello` the page reads everything, so the stream sends only what is committed from now on.
    const since = this.#watched ?? (await store.deskChanges(undefined, []))?.watched
    let watcher: Watcher | undefined
    const source = {
      start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#watched ??= since
        watcher = new Watcher({ browser, again, controller, all: this.#watchers }, visitor, revealed, clock.monotonic())
        this.#watchers.add(watcher)
        watcher.write(Buffer.from(`retry: ${RETRY_MS}\n\n`))
        watcher.write(eventOf('hello', { now: nowOf(deps) }))
      },
      cancel: () => void (watcher && this.#watchers.delete(watcher)),
    }
    const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0, size: (bytes) => bytes.byteLength })
    this.#schedule(timers)
    return new Response(stream, { headers: STREAM_HEADERS })
  }

  tellPresence(who: CustomerOfNumber): void {
    if (!this.#deps) return
    const event = eventOf('present', { id: idOf(who, this.#deps), present: this.#o.presence.of(who) })
    for (const watcher of this.#watchers) if (maySee(watcher.visitor, who)) watcher.write(event)
  }

  #schedule(timers: Timers): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    timers.after(EVERY_MS, () => {
      this.#isScheduled = false
      if (this.#watchers.size === 0) {
        // No stream is open. The next page reads everything, so it needs no changes from before.
        this.#watched = undefined
        this.#digests.clear()
        return
      }
      this.#schedule(timers)
      // Don't query a slow database twice at the same time.
      if (!this.#isTicking) void this.#tick()
    })
  }

  async #tick(): Promise<void> {
    this.#isTicking = true
    try {
      const { open, left } = this.#o.presence.sweep()
      for (const who of left) this.tellPresence(who)
      await Promise.all([...this.#watchers].map((watcher) => this.#keep(watcher)))
      await this.#look(open)
    } catch (error) {
      this.#o.failed(error)
      // The bot stops, or its database cannot be reached. The browsers connect again.
      for (const watcher of this.#watchers) watcher.end()
    } finally {
      this.#isTicking = false
    }
  }

  async #keep(watcher: Watcher): Promise<void> {
    try {
      if (this.#deps) await watcher.keep(this.#deps)
    } catch (error) {
      this.#o.failed(error)
      watcher.end()
    }
  }

  async #look(open: readonly CustomerOfNumber[]): Promise<void> {
    const deps = this.#deps
    if (!deps || this.#watchers.size === 0) return
    const changes = await deps.desk.store.deskChanges(this.#watched, open)
    if (!changes) return
    const isFirst = this.#watched === undefined
    this.#watched = changes.watched
    const changed = this.#whatChanged(changes, open)
    if (isFirst) return
    const rest = resting(deps.desk)
    await this.#sendRows(changes.touched, rest, deps)
    for (const who of changed) {
      await this.#sendChat(who, deps)
      await rest()
    }
  }

  #whatChanged({ digests }: NonNullable<ResultOf<'deskChanges'>>, open: readonly CustomerOfNumber[]) {
    const changed = digests.filter((one) => {
      const key = `${one.number}/${one.customer}`
      const before = this.#digests.get(key)
      this.#digests.set(key, one.digest)
      return before !== one.digest
    })
    for (const key of this.#digests.keys())
      if (!open.some(({ number, customer }) => `${number}/${customer}` === key)) this.#digests.delete(key)
    return changed
  }

  async #sendRows(touched: readonly CustomerOfNumber[], rest: Rest, deps: PageDeps): Promise<void> {
    if (touched.length === 0) return
    const shown = await this.#readRows(touched, rest, deps)
    const waiting = await deps.desk.store.waitingByPerson(deps.desk.clock.service())
    const notified = [...this.#watchers].flatMap((watcher) => {
      const { visitor, revealed } = watcher
      const own = (shown.get(revealed) ?? []).filter((row) => maySee(visitor, row))
      return own.length === 0 ? [] : [{ watcher, own, counts: countsFor(visitor, waiting) }]
    })
    const reading = notified.filter(({ watcher: { revealed } }) => revealed)
    for (let from = 0; from < reading.length; from += VISITS_AT_ONCE) {
      const part = reading.slice(from, from + VISITS_AT_ONCE)
      await Promise.all(
        part.map(({ watcher: { visitor }, own }) =>
          this.#o.visits.list(visitor.who, own, onlyOne(visitor.scope), deps),
        ),
      )
      await rest()
    }
    const events = new Map<string, Uint8Array>()
    for (const { watcher, own, counts } of notified) {
      // Most people see the same rows, so equal events are encoded once.
      const key = JSON.stringify([watcher.revealed, watcher.visitor.scope, counts])
      const event = events.get(key) ?? eventOf('rows', { rows: own, counts })
      events.set(key, event)
      watcher.write(event)
      await rest()
    }
  }

  /** Reads the rows once. Returns them revealed, masked, or both, as the open streams need. */
  async #readRows(touched: readonly CustomerOfNumber[], rest: Rest, deps: PageDeps) {
    const shown = new Map([...this.#watchers].map(({ revealed }) => [revealed, [] as QueueRow[]]))
    for (let from = 0; from < touched.length; from += ROWS_AT_ONCE) {
      const part = touched.slice(from, from + ROWS_AT_ONCE)
      const rows = await loadRows(await deps.desk.store.peopleRows(part), deps)
      for (const [revealed, all] of shown)
        all.push(...rows.map((row) => showRow(row, revealed, this.#o.presence.of, deps)))
      await rest()
    }
    return shown
  }

  /** Sends a chat to all people who have it open. */
  async #sendChat(who: CustomerOfNumber, deps: PageDeps): Promise<void> {
    const { presence, visits } = this.#o
    const readers = [...this.#watchers].filter(
      ({ visitor }) => maySee(visitor, who) && presence.hasOpen(visitor.who, who),
    )
    if (readers.length === 0) return
    const loaded = await loadChat(who, undefined, deps)
    const shown = byKey((revealed: boolean) => showChat(loaded, revealed, presence.of, deps))
    const events = byKey((revealed: boolean) => eventOf('chat', shown(revealed)))
    await Promise.all(
      readers.map(async (watcher) => {
        const { visitor, revealed } = watcher
        if (revealed) await visits.chat(visitor.who, who, shown(revealed), deps)
        watcher.write(events(revealed))
      }),
    )
  }
}

interface StreamDeps {
  /** A name for the stream's browser, to count its streams. Empty if the page sent none: then they are not limited. */
  readonly browser: string
  again(): Promise<Visitor | undefined>
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  /** The streams that are open. */
  readonly all: Set<Watcher>
}

/** An open stream, and the person who reads it. */
class Watcher {
  readonly o: StreamDeps
  visitor: Visitor
  revealed: boolean
  #pingedAt: number
  #authorizedAt: number

  constructor(o: StreamDeps, visitor: Visitor, revealed: boolean, now: number) {
    this.o = o
    this.visitor = visitor
    this.revealed = revealed
    this.#pingedAt = now
    this.#authorizedAt = now
  }

  async keep(deps: PageDeps): Promise<void> {
    const now = deps.desk.clock.monotonic()
    if (now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now
      this.write(Buffer.from(': ping\n\n'))
    }
    if (now - this.#authorizedAt < AUTHORIZE_MS) return
    this.#authorizedAt = now
    const visitor = await this.o.again()
    if (visitor?.who !== this.visitor.who) {
      this.write(eventOf('gone', {}))
      return this.end()
    }
    this.visitor = visitor
    this.revealed = await visitor.mayReveal()
    this.write(eventOf('refresh', { now: nowOf(deps) }))
  }

  write(bytes: Uint8Array): void {
    const { all, controller } = this.o
    if (!all.has(this)) return
    if ((controller.desiredSize ?? 0) < -MOST_QUEUED) return this.end()
    controller.enqueue(bytes)
  }

  end(): void {
    if (this.o.all.delete(this)) this.o.controller.close()
  }
}

type Rest = () => Promise<void>

/** Returns a function that waits `RESTS_MS` if the work before it took `WORKS_MS` or longer. */
export function resting({ clock, timers }: Pick<PageDeps['desk'], 'clock' | 'timers'>): Rest {
  let began = clock.monotonic()
  return async () => {
    if (clock.monotonic() - began < WORKS_MS) return
    await new Promise<void>((resolve) => void timers.after(RESTS_MS, resolve))
    began = clock.monotonic()
  }
}

function eventOf<Name extends keyof DeskEvent>(event: Name, data: DeskEvent[Name]): Uint8Array {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** Returns a function that makes the value of each key once. */
function byKey<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.has(key) ? (known.get(key) as Value) : make(key)
    known.set(key, value)
    return value
  }
}

function maySee({ scope }: Visitor, { number }: Pick<CustomerOfNumber, 'number'>): boolean {
  return scope?.includes(number) ?? true
}

export interface WaitingOf {
  readonly number: string
  readonly assignee: string | null
  readonly n: number
}

export function countsFor(visitor: Visitor, waiting: readonly WaitingOf[]): Counts {
  const own = waiting.filter((one) => maySee(visitor, one))
  const sum = (rows: readonly WaitingOf[]) => rows.reduce((all, { n }) => all + n, 0)
  return { waiting: sum(own), mine: sum(own.filter(({ assignee }) => assignee === visitor.who)) }
}

function nowOf({ desk: { clock } }: PageDeps): string {
  return new Date(clock.service()).toISOString()
}
