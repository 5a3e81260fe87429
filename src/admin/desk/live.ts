import type { Timers } from '../../base/clock.ts'
import type { Watched } from '../../store/reads/chat.ts'
import { EVENT_STREAM, GUARDS, Refused } from '../admin-http.ts'
import type { Visitor } from '../door.ts'
import type { PageDeps } from '../page-host.ts'
import type { Counts, DeskEvent, QueueRow } from './desk-api.ts'
import { idOf, loadChat, loadRows, showChat, showRow } from './desk-view.ts'
import type { Presence } from './presence.ts'
import type { Visits } from './visits.ts'
import type { CustomerOfNumber } from '../../store/customers.ts'

const EVERY_MS = 1_000
/** Proxies end a connection on which nothing comes, after a minute or less. */
const PING_MS = 15_000
const AUTHORIZE_MS = 60_000
const RETRY_MS = 2_000
/**
 * The most streams of one browser. Over HTTP/1 a browser has six connections with a server, and needs the others for
 * requests.
 */
const MOST_OF_BROWSER = 4
const MOST_OF_PERSON = 20
/**
 * The most bytes that wait for a slow reader. Above it the stream ends, and the page connects again and reads
 * everything again.
 */
const MOST_QUEUED = 4 * 1_048_576

/**
 * A check for what changed works for so long, then it rests: answers to deliveries need several turns of the event loop,
 * and each of them would wait.
 */
const WORKS_MS = 1
const RESTS_MS = 4
/** As many rows are read, and as many visits recorded, without a rest. */
const ROWS_AT_ONCE = 20
const VISITS_AT_ONCE = 10

interface Watcher {
  /** Which of the person's browsers has it; empty if its tabs share one. */
  readonly browser: string
  visitor: Visitor
  revealed: boolean
  pingedAt: number
  authorizedAt: number
  again(): Promise<Visitor | undefined>
  write(bytes: Uint8Array): void
  end(): void
}

export type Live = ReturnType<typeof createLive>

/**
 * The streams of all desks of this process. They share one query a second, which costs next to nothing while nothing
 * was committed. Changes are read once and sent to all people who may see them.
 */
export function createLive(o: { presence: Presence; visits: Visits; failed(error: unknown): void }) {
  const { presence, visits } = o
  const watchers = new Set<Watcher>()
  const digests = new Map<string, string>()
  let watched: Watched | undefined
  let deps: PageDeps | undefined
  let isScheduled = false
  let ticking: Promise<void> | undefined

  function schedule(timers: Timers): void {
    if (isScheduled) return
    isScheduled = true
    timers.after(EVERY_MS, () => {
      isScheduled = false
      if (watchers.size === 0) {
        // Forget the position: the next page reads everything, so earlier changes are no news to it.
        watched = undefined
        digests.clear()
        return
      }
      schedule(timers)
      // Don't query a slow database twice at the same time.
      ticking ??= tick().finally(() => {
        ticking = undefined
      })
    })
  }

  async function tick(): Promise<void> {
    try {
      const { open, left } = presence.sweep()
      for (const who of left) tellPresence(who)
      await Promise.all(
        [...watchers].map((watcher) =>
          keep(watcher).catch((error: unknown) => {
            o.failed(error)
            watcher.end()
          }),
        ),
      )
      await look(open)
    } catch (error) {
      o.failed(error)
      // End the streams, because the bot stops or its database cannot be reached. The browsers connect again.
      for (const watcher of watchers) watcher.end()
    }
  }

  async function keep(watcher: Watcher): Promise<void> {
    const now = deps?.desk.clock.monotonic() ?? 0
    if (now - watcher.pingedAt >= PING_MS) {
      watcher.pingedAt = now
      watcher.write(Buffer.from(': ping\n\n'))
    }
    if (now - watcher.authorizedAt < AUTHORIZE_MS) return
    watcher.authorizedAt = now
    const visitor = await watcher.again()
    if (visitor?.who !== watcher.visitor.who) {
      watcher.write(eventOf('gone', {}))
      return watcher.end()
    }
    watcher.visitor = visitor
    watcher.revealed = await visitor.mayReveal()
    watcher.write(eventOf('refresh', { now: nowOf(deps) }))
  }

  async function look(open: readonly CustomerOfNumber[]): Promise<void> {
    const at = deps
    if (!at || watchers.size === 0) return
    const changes = await at.desk.store.deskChanges(watched, open)
    if (!changes) return
    const isFirst = watched === undefined
    watched = changes.watched
    const changed = changes.digests.filter((one) => {
      const key = `${one.number}/${one.customer}`
      const before = digests.get(key)
      digests.set(key, one.digest)
      return before !== one.digest
    })
    for (const key of digests.keys())
      if (!open.some(({ number, customer }) => `${number}/${customer}` === key)) digests.delete(key)
    if (isFirst) return
    const rest = resting(at.desk)
    await sendRows(changes.touched, rest, at)
    for (const who of changed) {
      await sendChat(who, at)
      await rest()
    }
  }

  async function sendRows(touched: readonly CustomerOfNumber[], rest: Rest, at: PageDeps): Promise<void> {
    if (touched.length === 0) return
    const { store, clock } = at.desk
    const shown = new Map([...watchers].map(({ revealed }) => [revealed, [] as QueueRow[]]))
    for (let from = 0; from < touched.length; from += ROWS_AT_ONCE) {
      const rows = await loadRows(await store.peopleRows(touched.slice(from, from + ROWS_AT_ONCE)), at)
      for (const [revealed, all] of shown) all.push(...rows.map((row) => showRow(row, revealed, presence.of, at)))
      await rest()
    }
    const waiting = await store.waitingByPerson(clock.service())
    const notified = [...watchers].flatMap((watcher) => {
      const { visitor, revealed } = watcher
      const own = (shown.get(revealed) ?? []).filter((row) => maySee(visitor, row))
      return own.length === 0 ? [] : [{ watcher, own, counts: countsFor(visitor, waiting) }]
    })
    const reading = notified.filter(({ watcher: { revealed } }) => revealed)
    for (let from = 0; from < reading.length; from += VISITS_AT_ONCE) {
      const part = reading.slice(from, from + VISITS_AT_ONCE)
      await Promise.all(
        part.map(({ watcher: { visitor }, own }) => visits.list(visitor.who, own, onlyOne(visitor), at)),
      )
      await rest()
    }
    const events = new Map<string, Uint8Array>()
    for (const { watcher, own, counts } of notified) {
      // Most people see the same: it is written as JSON once.
      const key = JSON.stringify([watcher.revealed, watcher.visitor.scope, counts])
      const event = events.get(key) ?? eventOf('rows', { rows: own, counts })
      events.set(key, event)
      watcher.write(event)
      await rest()
    }
  }

  /** Sends a chat to all people who have it open. */
  async function sendChat(who: CustomerOfNumber, at: PageDeps): Promise<void> {
    const readers = [...watchers].filter(({ visitor }) => maySee(visitor, who) && presence.hasOpen(visitor.who, who))
    if (readers.length === 0) return
    const loaded = await loadChat(who, undefined, at)
    const shown = byKey((revealed: boolean) => showChat(loaded, revealed, presence.of, at))
    const events = byKey((revealed: boolean) => eventOf('chat', shown(revealed)))
    await Promise.all(
      readers.map(async ({ visitor, revealed, write }) => {
        if (revealed) await visits.chat(visitor.who, who, shown(revealed), at)
        write(events(revealed))
      }),
    )
  }

  function tellPresence(who: CustomerOfNumber): void {
    if (!deps) return
    const event = eventOf('present', { id: idOf(who, deps), present: presence.of(who) })
    for (const { visitor, write } of watchers) if (maySee(visitor, who)) write(event)
  }

  async function open(
    visitor: Visitor,
    at: PageDeps,
    { browser, again }: Pick<Watcher, 'browser' | 'again'>,
  ): Promise<Response> {
    deps = at
    const own = [...watchers].filter((one) => one.visitor.who === visitor.who)
    const ofBrowser = own.filter((one) => browser !== '' && one.browser === browser)
    if (own.length >= MOST_OF_PERSON || ofBrowser.length >= MOST_OF_BROWSER)
      throw new Refused('not_possible', 'You have too many streams. This page reads again every few seconds.')
    const revealed = await visitor.mayReveal()
    // The page reads everything at `hello`: what is committed after this is a change.
    const since = watched ?? (await at.desk.store.deskChanges(undefined, []))?.watched
    let watcher: Watcher | undefined
    const source = {
      start(controller: ReadableStreamDefaultController<Uint8Array>) {
        watched ??= since
        const write = (bytes: Uint8Array) => {
          if (!watcher || !watchers.has(watcher)) return
          if ((controller.desiredSize ?? 0) < -MOST_QUEUED) return watcher.end()
          controller.enqueue(bytes)
        }
        watcher = {
          browser,
          visitor,
          revealed,
          again,
          pingedAt: at.desk.clock.monotonic(),
          authorizedAt: at.desk.clock.monotonic(),
          write,
          end() {
            if (watcher && watchers.delete(watcher)) controller.close()
          },
        }
        watchers.add(watcher)
        write(Buffer.from(`retry: ${RETRY_MS}\n\n`))
        write(eventOf('hello', { now: nowOf(at) }))
      },
      cancel: () => void (watcher && watchers.delete(watcher)),
    }
    const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0, size: (bytes) => bytes.byteLength })
    schedule(at.desk.timers)
    const headers = {
      ...GUARDS,
      'Content-Type': EVENT_STREAM,
      // Prevents compression, which some proxies do and which would hold events back.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    }
    return new Response(stream, { headers })
  }

  return { open, tellPresence }
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

/** Makes a value for a key when it is first needed. */
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

export function onlyOne({ scope }: Visitor): string | undefined {
  return scope?.length === 1 ? scope[0] : undefined
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

function nowOf(deps: PageDeps | undefined): string {
  return new Date(deps?.desk.clock.service() ?? 0).toISOString()
}
