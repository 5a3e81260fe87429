import type { Timers } from '../../base/clock.ts'
import type { Watched } from '../../store/reads/chat.ts'
import type { CustomerOfNumber } from '../../store/types/types.ts'
import { EVENT_STREAM, GUARDS } from '../admin-http.ts'
import type { Visitor } from '../door.ts'
import type { PageDeps } from '../page-host.ts'
import type { Counts, DeskEvent } from './desk-api.ts'
import { idOf, loadChat, loadRows, showChat, showRow } from './desk-view.ts'
import type { Presence } from './presence.ts'
import type { Visits } from './visits.ts'

const EVERY_MS = 1_000
/** Proxies end a connection on which nothing comes, after a minute or less. */
const PING_MS = 15_000
const AUTHORIZE_MS = 60_000
const RETRY_MS = 2_000
/** Events that wait for a slow reader. It connects again, and reads everything again. */
const MOST_QUEUED = 200

interface Watcher {
  visitor: Visitor
  revealed: boolean
  pingedAt: number
  authorizedAt: number
  again(): Promise<Visitor | undefined>
  send<Name extends keyof DeskEvent>(event: Name, data: DeskEvent[Name]): void
  ping(): void
  end(): void
}

export type Live = ReturnType<typeof createLive>

/**
 * The streams of all desks of this process. Behind them is one question a second, which costs next to nothing while nothing
 * was committed; what has changed is read once, and sent to all who may see it.
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
      if (watchers.size === 0) return
      schedule(timers)
      // A database that answers slowly is not asked twice at once.
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
      // The bot stops, or its database cannot be reached: the browsers connect again.
      for (const watcher of watchers) watcher.end()
    }
  }

  async function keep(watcher: Watcher): Promise<void> {
    const now = deps?.desk.clock.monotonic() ?? 0
    if (now - watcher.pingedAt >= PING_MS) {
      watcher.pingedAt = now
      watcher.ping()
    }
    if (now - watcher.authorizedAt < AUTHORIZE_MS) return
    watcher.authorizedAt = now
    const visitor = await watcher.again()
    if (visitor?.who !== watcher.visitor.who) {
      watcher.send('gone', {})
      return watcher.end()
    }
    watcher.visitor = visitor
    watcher.revealed = await visitor.mayReveal()
    watcher.send('refresh', { now: nowOf(deps) })
  }

  async function look(open: readonly CustomerOfNumber[]): Promise<void> {
    if (!deps || watchers.size === 0) return
    const { store, clock } = deps.desk
    const changes = await store.deskChanges(watched, open)
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
    const rows = await loadRows(await store.peopleRows(changes.touched), deps)
    const waiting = await store.waitingByPerson(clock.service())
    for (const watcher of watchers) {
      const { visitor, revealed } = watcher
      const own = rows.filter(({ row }) => maySee(visitor, row))
      const counts = countsFor(visitor, waiting)
      if (own.length === 0) continue
      const shown = own.map((one) => showRow(one, revealed, presence.of, deps as PageDeps))
      if (revealed) await visits.list(visitor.who, shown, onlyOne(visitor), deps)
      watcher.send('rows', { rows: shown, counts })
    }
    for (const who of changed) await sendChat(who, deps)
  }

  /** To all who have it open. */
  async function sendChat(who: CustomerOfNumber, at: PageDeps): Promise<void> {
    const readers = [...watchers].filter(({ visitor }) => maySee(visitor, who) && presence.hasOpen(visitor.who, who))
    if (readers.length === 0) return
    const loaded = await loadChat(who, undefined, at)
    for (const { visitor, revealed, send } of readers) {
      const chat = showChat(loaded, revealed, presence.of, at)
      if (revealed) await visits.chat(visitor.who, who, chat, at)
      send('chat', chat)
    }
  }

  function tellPresence(who: CustomerOfNumber): void {
    if (!deps) return
    const present = { id: idOf(who, deps), present: presence.of(who) }
    for (const { visitor, send } of watchers) if (maySee(visitor, who)) send('present', present)
  }

  async function open(visitor: Visitor, at: PageDeps, again: Watcher['again']): Promise<Response> {
    deps = at
    const revealed = await visitor.mayReveal()
    // The page reads everything at `hello`: what is committed after this is a change.
    watched ??= (await at.desk.store.deskChanges(undefined, []))?.watched
    let watcher: Watcher | undefined
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        const write = (text: string) => {
          if (!watcher || !watchers.has(watcher)) return
          if ((controller.desiredSize ?? 0) < -MOST_QUEUED) return watcher.end()
          controller.enqueue(Buffer.from(text))
        }
        watcher = {
          visitor,
          revealed,
          again,
          pingedAt: at.desk.clock.monotonic(),
          authorizedAt: at.desk.clock.monotonic(),
          send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
          ping: () => write(': ping\n\n'),
          end() {
            if (watcher && watchers.delete(watcher)) controller.close()
          },
        }
        watchers.add(watcher)
        write(`retry: ${RETRY_MS}\n\n`)
        watcher.send('hello', { now: nowOf(at) })
      },
      cancel: () => void (watcher && watchers.delete(watcher)),
    })
    schedule(at.desk.timers)
    const headers = {
      ...GUARDS,
      'Content-Type': EVENT_STREAM,
      // Compression would keep events back, as some proxies do.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    }
    return new Response(stream, { headers })
  }

  return { open, tellPresence }
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
