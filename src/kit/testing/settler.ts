import type { Activity } from './activity.ts'
import type { BotProcess } from './bot-process.ts'
import { TURN_LASTS_MS } from './in-flight.ts'
import type { NumberService, Service } from './test-service.ts'
import type { OwnTimers, VirtualTime } from './virtual-time.ts'

export type Settler = ReturnType<typeof createSettler>

export interface SettlerDeps {
  readonly time: VirtualTime
  readonly activity: Activity
  readonly service: Pick<Service, 'mayAwaitTemplates'> & { readonly numbers: readonly Watched[] }
  readonly serviceTimers: OwnTimers
  readonly currentProcess: () => BotProcess
  /** Called whenever nothing is under way, before the clock moves. Return true if this call may have begun work. */
  readonly onIdle?: () => Promise<boolean>
}

interface Watched {
  readonly emulator: Pick<NumberService['emulator'], 'undelivered'>
}

/** Lets a scenario run until nothing is left to do, and moves its clock as needed. */
export function createSettler(deps: SettlerDeps) {
  const { time, activity } = deps
  let requests = 0
  let target = time.now()
  let lastsUntil = time.now()
  let closed = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    try {
      while (!closed && (await step()));
    } finally {
      running = undefined
    }
  }

  async function step(): Promise<boolean> {
    await activity.idle()
    if (await deps.onIdle?.()) return true
    const requestsBefore = requests
    if (closed || time.runNext()) return true
    const { inFlight } = deps.currentProcess()
    if (inFlight.inAppCode() && !deps.service.mayAwaitTemplates()) {
      await activity.nextChange()
      return true
    }
    const at = await nextMoment(deps, { target, lastsUntil })
    if (at !== undefined) time.moveTo(at)
    return at !== undefined || requests !== requestsBefore
  }

  function start(): Promise<void> {
    running ??= run()
    return running
  }

  // An app may also begin something outside a turn. The next turn contains what it sent.
  activity.onBegin(() => {
    if (closed || running) return
    lastsUntil = time.now() + TURN_LASTS_MS
    start().catch(() => {})
  })

  return {
    /**
     * Resolves when nothing is left to do and the clock has reached `until`. Waiting work, such as a back-off, may take
     * `lastsMs` longer.
     */
    settle(until = time.now(), lastsMs = TURN_LASTS_MS): Promise<void> {
      requests++
      target = Math.max(target, until)
      lastsUntil = target + lastsMs
      return start()
    },
    close(): void {
      closed = true
      // Counts as a change, so that a `step` that waits in `nextChange` continues and sees `closed`.
      void activity.during(Promise.resolve())
    },
  }
}

/** The time of the next thing that a turn waits for; undefined if it waits for nothing. */
async function nextMoment(
  { time, service, serviceTimers, currentProcess }: SettlerDeps,
  { target, lastsUntil }: { target: number; lastsUntil: number },
): Promise<number | undefined> {
  const now = time.now()
  const { inFlight, timers, store } = currentProcess()
  // An item or a send in flight may wait for any timer, of the bot or of the service.
  if (inFlight.any()) return earliest([timers.next(), serviceTimers.next()], now)
  const mayWait =
    lastsUntil > target &&
    (service.numbers.some(({ emulator }) => emulator.undelivered().some(({ pending }) => pending)) ||
      (await hasOpenWork(currentProcess())))
  const limit = mayWait ? lastsUntil : target
  if (limit <= now) return undefined
  // Nothing is in flight: the bot's own timers only poll, and can be skipped.
  const next = earliest([...inFlight.nextAt(), serviceTimers.next(), await store()?.nextDueAt()], now)
  if (next !== undefined && next <= limit) return next
  return now < target ? target : undefined
}

function earliest(moments: readonly (number | undefined)[], now: number): number | undefined {
  const known = moments.filter((at) => at !== undefined)
  return known.length === 0 ? undefined : Math.max(now + 1, Math.min(...known))
}

/** True if inbox or outbox hold work that was not postponed for longer than a turn. */
async function hasOpenWork({ store, inFlight }: BotProcess): Promise<boolean> {
  const counts = await store()?.counts()
  if (counts === undefined) return false
  const { items, sends } = counts
  const sum = (states: Readonly<Record<string, number>>, ...open: string[]) =>
    open.reduce((total, state) => total + (states[state] ?? 0), 0)
  return sum(items, 'stored', 'running', 'retry') > inFlight.deferred() || sum(sends, 'ready', 'attempting') > 0
}
