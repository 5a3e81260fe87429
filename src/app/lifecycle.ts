import { createClock, type Random, realTimers, type Timers } from '../base/clock.ts'
import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { fresh } from '../dispatch/index.ts'
import type { BotOptions } from './options.ts'
import type { AnyBot } from '../receive/bot-internals.ts'
import { type Hooks, type Observers, tellOfDeclaredEvents } from '../report/index.ts'
import { compile, type RouteTable } from '../routes/index.ts'
import { compose, type RunningBot } from './compose.ts'
import { settingsFrom } from './settings.ts'
import type { Store } from '../stores/port/index.ts'

export interface StartOptions {
  /**
   * The database was brought back from a backup: what may have gone out since the backup was taken is held, until a
   * person lets it go. For one start; without it that is noticed where `<database>.generation` beside the file shows
   * that an older copy took its place. Not noticed: a backup of the last hour that no start came after, and one that
   * came to a place without that file or together with it, as a snapshot of a disk does.
   */
  restored?: boolean
}

/** What a test takes over. */
export interface TestOverrides {
  readonly timers?: Timers
  readonly random?: Random
  readonly environment?: NodeJS.ProcessEnv
  /** Opens the store instead of SQLite. */
  readonly open?: (database: string, o: StartOptions) => Store
  /** What the bot was made with, changed. */
  readonly options?: (given: BotOptions) => BotOptions
  readonly log?: Log
  /** Hears what the app's own hooks hear. */
  readonly hooks?: Hooks
}

/** A bot's life: started once, stopped once, and perhaps started again. */
export interface Lifecycle {
  start(o?: StartOptions): Promise<void>
  /** `drained` runs when handling has ended and deliveries can still be stored. Who asks twice waits for the one stop. */
  stop(drain?: Duration, drained?: () => Promise<void>): Promise<void>
  /** Undefined before the start and after the stop; while it stops, what comes is still stored. */
  running(): RunningBot | undefined
  /** Whether deliveries can be stored, as far as the last of them tells, and it is not about to end. */
  ready(): boolean
  /** What the bot was made with. */
  readonly options: BotOptions
  /**
   * The next starts are a test's, until `abandon`.
   *
   * @throws SwitchhookError `options_invalid` where it is started, or another test has it.
   */
  takeOver(internals: TestOverrides): void
  /** As though the process had died: nothing is ended. It can be started and taken over again. */
  abandon(): void
}

const lives = new WeakMap<AnyBot, Lifecycle>()

/** Keeps the life of a bot for tests; called once, where the bot is made. */
export function setLifecycle(bot: AnyBot, life: Lifecycle): void {
  lives.set(bot, life)
}

/** @throws SwitchhookError `options_invalid` where the value is no bot. */
export function lifecycleOf(bot: AnyBot): Lifecycle {
  const found = lives.get(bot)
  if (found) return found
  throw new SwitchhookError('options_invalid', 'expected a bot, as createBot() makes one')
}

const DRAIN: Duration = '10s'

export function createLifecycle(o: {
  options: BotOptions
  internals: TestOverrides
  table: RouteTable
  log: Log
  observers: Observers
}): Lifecycle {
  const { options, table } = o
  let internals = o.internals
  let taken = false
  let running: RunningBot | undefined
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  let last: Promise<void> = Promise.resolve()

  async function open({ restored = false }: StartOptions, internals: TestOverrides): Promise<void> {
    if (!internals.open) checkRuntime()
    const { log = o.log, hooks } = internals
    const changed = internals.options?.(options) ?? options
    const settings = settingsFrom(changed, internals.environment ?? process.env)
    if (settings.session) await fresh(settings.session)
    const routes = compile(table)
    table.close(true)
    const store = await (internals.open ?? openSqliteLate)(settings.database, { restored })
    try {
      running = await compose(settings, routes, {
        store,
        log,
        clock: createClock(changed.clock),
        timers: internals.timers ?? realTimers,
        random: internals.random ?? Math.random,
        fetch: changed.fetch,
        observers: hooks ? alsoTelling(o.observers, hooks) : o.observers,
      })
    } catch (error) {
      await store.close()
      throw error
    }
    tellOfDeclaredEvents(log, [...new Set(routes.events.map(({ event }) => event))])
  }

  async function close(drainMs: number, drained: (() => Promise<void>) | undefined): Promise<void> {
    const ending = running
    try {
      if (ending) await ending.stop({ drainMs, drained })
      else await drained?.()
    } finally {
      running = undefined
      table.close(false)
    }
  }

  /** Starts and stops run one after another, in the order in which they were asked for. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const turn = last.then(step)
    last = turn.catch(() => {})
    return turn
  }

  async function start(how: StartOptions = {}): Promise<void> {
    if (starting) return starting
    // What it is asked with counts, also where it has to wait for a stop.
    const given = internals
    const turn = inTurn(() => open(how, given)).catch((error: unknown) => {
      // Another start may have been asked for meanwhile, behind a stop.
      if (starting === turn) starting = undefined
      table.close(false)
      throw error
    })
    starting = turn
    return turn
  }

  async function stop(drain: Duration = DRAIN, drained?: () => Promise<void>): Promise<void> {
    const drainMs = toMs(drain, 'drain')
    if (stopping && !starting) return stopping
    starting = undefined
    const turn = inTurn(() => close(drainMs, drained))
    stopping = turn
    const ended = () => {
      if (stopping === turn) stopping = undefined
    }
    turn.then(ended, ended)
    return turn
  }

  return {
    start,
    stop,
    running: () => running,
    ready: () => running?.ready() === true && !stopping,
    options,
    takeOver(given) {
      if (taken)
        throw new SwitchhookError(
          'options_invalid',
          'another scenario has this bot: close that one first, with close()',
        )
      if (starting || running)
        throw new SwitchhookError('options_invalid', 'a scenario takes over a bot that is not started; this one is')
      taken = true
      internals = given
    },
    abandon() {
      table.close(false)
      running = starting = stopping = undefined
      last = Promise.resolve()
      taken = false
      internals = o.internals
    },
  }
}

function alsoTelling(observers: Observers, hooks: Hooks): Observers {
  return {
    ...observers,
    tell(what, about) {
      observers.tell(what, about)
      hooks[what]?.(about)
    },
  }
}

/** On an old Node the database driver ends the process without a word when a file is opened. */
function checkRuntime(): void {
  if (Number(process.versions['napi'] ?? 0) >= 10) return
  throw new SwitchhookError('runtime_too_old', `the database driver needs Node >= 22.14, this is ${process.version}`)
}

/** Loaded when it is needed: see `checkRuntime`. */
async function openSqliteLate(database: string, o: StartOptions): Promise<Store> {
  const { openSqlite } = await import('../stores/sqlite/index.ts')
  return openSqlite(database, o)
}
