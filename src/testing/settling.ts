import type { Activity } from './activity.ts'
import type { BotLife } from './bot-life.ts'
import { StillBusy } from './failures.ts'
import type { FloodGuard } from './flood.ts'
import { TURN_LASTS_MS } from './in-hand.ts'
import type { Service } from './service.ts'
import type { OwnTimers, VirtualTime } from './time.ts'

/** Brings a scenario to rest, and lets as much time pass as that needs. */
export interface Settling {
  /** Resolves when nothing is left to do, having moved the clock to `until` on the way. */
  settled(until?: number): Promise<void>
  close(): void
}

export interface SettlingParts {
  readonly time: VirtualTime
  readonly activity: Activity
  readonly service: Service
  readonly serviceTimers: OwnTimers
  readonly life: () => BotLife
  readonly flood: FloodGuard
  /** Real time that a handler may be in code of its own. */
  readonly patienceMs: number
}

export function createSettling(parts: SettlingParts): Settling {
  const { time, activity, patienceMs } = parts
  let asked = 0
  /** So many are waited for now. */
  let turns = 0
  let target = time.now()
  let lastsUntil = time.now()
  let closed = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    try {
      while (!closed && (await goOn()));
    } finally {
      running = undefined
    }
  }

  /** One step towards rest; false where nobody wants another. */
  async function goOn(): Promise<boolean> {
    await activity.quiet()
    const asking = asked
    parts.flood.check()
    if (closed || time.runNext()) return true
    const busy = parts.service.isAskedInVain() ? [] : parts.life().inHand.busy()
    if (busy.length > 0) {
      if ((await activity.change(patienceMs)) || closed) return true
      parts.life().inHand.giveUpOn(busy)
      throw new StillBusy(busy, { withinMs: patienceMs, turns })
    }
    const at = await nextMoment(parts, { target, lastsUntil })
    if (at !== undefined) time.moveTo(at)
    return at !== undefined || asking !== asked
  }

  function start(): Promise<void> {
    running ??= run()
    return running
  }

  // What an app does outside a turn goes on by itself too; a turn will tell what comes of it.
  activity.onBegin(() => {
    if (closed || running) return
    lastsUntil = time.now() + TURN_LASTS_MS
    start().catch(() => {})
  })

  return {
    settled(until = time.now()) {
      asked++
      target = Math.max(target, until)
      lastsUntil = target + TURN_LASTS_MS
      turns++
      return start().finally(() => turns--)
    },
    close() {
      closed = true
    },
  }
}

/** The next moment at which something happens that is wanted; undefined where all is done. */
async function nextMoment(
  { time, service, serviceTimers, life }: SettlingParts,
  { target, lastsUntil }: { target: number; lastsUntil: number },
): Promise<number | undefined> {
  const now = time.now()
  const { inHand, timers, store } = life()
  // While something is in hand each timer may be the one that it waits for.
  if (inHand.any()) return earliest([timers.next(), serviceTimers.next()], now)
  const waits = isPending(service) || (await isOpen(life()))
  const limit = waits ? Math.max(target, lastsUntil) : target
  if (limit <= now) return undefined
  // In between the bot only looks: those timers may all be passed over.
  const next = earliest([...inHand.nextAt(), serviceTimers.next(), await firstScheduled(store())], now)
  if (next !== undefined && next <= limit) return next
  return now < target ? target : undefined
}

function earliest(moments: readonly (number | undefined)[], now: number): number | undefined {
  const known = moments.filter((at) => at !== undefined)
  return known.length === 0 ? undefined : Math.max(now + 1, Math.min(...known))
}

/** Whether the service still tries to hand something over. */
function isPending({ lines }: Service): boolean {
  return lines.some(({ emulator }) => emulator.undelivered().some(({ pending }) => pending))
}

/** Whether inbox or outbox hold something that is to be done without being put off for long. */
async function isOpen({ store, inHand }: BotLife): Promise<boolean> {
  const counts = await store()?.counts()
  if (counts === undefined) return false
  const { items, sends } = counts
  const of = (states: Readonly<Record<string, number>>, ...open: string[]) =>
    open.reduce((sum, state) => sum + (states[state] ?? 0), 0)
  return of(items, 'stored', 'running', 'retry') > inHand.putOff() || of(sends, 'ready', 'attempting') > 0
}

/** When the first scheduled send is due. */
async function firstScheduled(store: ReturnType<BotLife['store']>): Promise<number | undefined> {
  if (store === undefined) return undefined
  let first: number | undefined
  let after: number | undefined
  do {
    const page = await store.listSends({ state: 'scheduled', limit: 100, ...(after !== undefined && { after }) })
    for (const { dueAt } of page.sends) if (dueAt !== undefined) first = Math.min(first ?? dueAt, dueAt)
    after = page.next
  } while (after !== undefined)
  return first
}
