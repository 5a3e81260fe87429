import type { Activity } from './activity.ts'
import type { BotLife } from './bot-life.ts'
import { StillBusy } from './failures.ts'
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
}

/** A back-off, and the ten minutes of an unknown outcome, pass within a turn; what waits longer waits for `advance`. */
const TURN_LASTS_MS = 15 * 60_000
/** Real time that a handler may be in code of its own: less than what a test usually has. */
const PATIENCE_MS = 4_000

export function createSettling(parts: SettlingParts): Settling {
  const { time, activity } = parts
  let asked = 0
  let target = time.now()
  let lastsUntil = time.now()
  let closed = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    for (;;) {
      await activity.quiet()
      if (closed) return
      const asking = asked
      if (time.runNext()) continue
      const busy = parts.life().inHand.busy()
      if (busy.length > 0) {
        if (!(await activity.change(PATIENCE_MS)) && !closed) throw new StillBusy(busy, PATIENCE_MS)
        continue
      }
      const at = await nextMoment(parts, { target, lastsUntil })
      if (at !== undefined) time.moveTo(at)
      else if (asking === asked) return
    }
  }

  function start(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined
    })
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
      return start()
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
  const limit = (await somethingWaits(store(), service)) ? Math.max(target, lastsUntil) : target
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

type Store = ReturnType<BotLife['store']>

async function somethingWaits(store: Store, { lines }: Service): Promise<boolean> {
  const { items, sends } = await store.counts()
  const open = [items['stored'], items['running'], items['retry'], sends['ready'], sends['attempting']]
  return open.some((count) => count !== undefined) || lines.some(({ emulator }) => emulator.undelivered().some(isPending))
}

const isPending = ({ pending }: { pending: boolean }) => pending

/** When the first scheduled send is due. */
async function firstScheduled(store: Store): Promise<number | undefined> {
  let first: number | undefined
  let after: number | undefined
  do {
    const page = await store.listSends({ state: 'scheduled', limit: 100, ...(after !== undefined && { after }) })
    for (const { dueAt } of page.sends) if (dueAt !== undefined) first = Math.min(first ?? dueAt, dueAt)
    after = page.next
  } while (after !== undefined)
  return first
}
