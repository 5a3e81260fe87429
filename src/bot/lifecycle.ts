import { createClock, type Random, realTimers, type Timers } from '../base/clock.ts'
import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { type Log, safeLog } from '../base/log.ts'
import type { Tracer } from './spans.ts'
import { newSession } from './work/session.ts'
import { type AnyBot, type BotInternals, internalsOf } from './in/bot-internals.ts'
import { ANSWERS } from './in/http.ts'
import { type createReports, type Hooks, type Observers, reportStoreFailure } from './report/reports.ts'
import { compile } from './routes/compile.ts'
import type { RouteTable } from './routes/table.ts'
import type { Commit } from '../store/types/types.ts'
import type { Store } from '../store/store.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { compose, type RunningBot } from './compose.ts'
import { isSource } from './numbers.ts'
import { type BotOptions, type Settings, settingsFrom, type StartOptions, startSettings } from './options.ts'

interface OpenOptions extends Pick<StartOptions, 'restored'> {
  readonly say: (line: string) => void
  readonly onCommit: (commit: Commit) => void
  readonly onFailure: (line: string, alarm: string) => void
  readonly schemaOwner: string | undefined
}

export interface TestOverrides {
  readonly timers?: Timers
  /** Measures spans beside the option `clock`. Default: the clock itself. */
  readonly monotonic?: () => number
  readonly random?: Random
  readonly environment?: NodeJS.ProcessEnv
  /** Opens the store instead of SQLite or PostgreSQL. */
  readonly open?: (database: string, o: OpenOptions) => Store | Promise<Store>
  readonly options?: (given: BotOptions) => BotOptions
  readonly log?: Log
  /** Wraps each call of `bot.to()`, because an abandoned process never ends it. */
  readonly during?: <T>(call: Promise<T>) => Promise<T>
  readonly hooks?: Hooks
  readonly createReports?: typeof createReports
}

/** Starts and stops a bot, possibly several times. Adapters use it as the bot's internals. */
export interface Lifecycle extends BotInternals {
  start(o?: StartOptions): Promise<void>
  stop(o?: { drain?: Duration; onDrained?: () => Promise<void> }): Promise<void>
  /** Undefined before the start and after the stop. While the bot is stopping, it still stores deliveries. */
  running(): RunningBot | undefined
  readonly options: BotOptions
  /** Wraps a call from outside a handler, so that the test that controls the bot can reject it. */
  during<T>(call: Promise<T>): Promise<T>
  /**
   * Applies the overrides to the next starts, until `abandon`.
   *
   * @throws SwitchhookError `options_invalid` if the bot is started, or another test controls it.
   */
  override(overrides: TestOverrides): void
  /** Forgets the running bot without ending anything, as if the process had died. The bot can be started again. */
  abandon(): void
}

/** @throws SwitchhookError `options_invalid` if the value is not a bot. */
export function lifecycleOf(bot: AnyBot): Lifecycle {
  // `assemble` makes every bot, and registers its lifecycle as its internals.
  return internalsOf(bot) as Lifecycle
}

/** Shorter than the ten seconds that containers usually have between SIGTERM and SIGKILL. */
const DRAIN: Duration = '8s'

export function createLifecycle(o: {
  options: BotOptions
  overrides: TestOverrides
  table: RouteTable
  log: Log
  observers: Observers
}): Lifecycle {
  const { options, table } = o
  let overrides = o.overrides
  let tracer: Tracer | undefined
  let overridden = false
  let running: RunningBot | undefined
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined
  let lastTurn: Promise<void> = Promise.resolve()

  async function open(asked: StartOptions, given: TestOverrides): Promise<void> {
    if (!given.open) checkRuntime()
    const environment = given.environment ?? process.env
    const { role, restored } = startSettings(asked, environment)
    const { hooks } = given
    const log = given.log ? safeLog(given.log) : o.log
    const settings = settingsFrom(given.options?.(options) ?? options, environment)
    if (settings.session) await newSession(settings.session)
    const routes = compile(table)
    table.close(true)
    const observers = hooks ? o.observers.and(hooks) : o.observers
    const how = {
      restored,
      say: (line: string) => log.warn({}, line),
      onCommit: (commit: Commit) => observers.notify('committed', { ...commit }),
      onFailure: (line: string, alarm: string) => reportStoreFailure(log, observers, line, alarm),
      schemaOwner: settings.schemaOwner,
    }
    // Tests with their own store name no pool.
    const store = await (given.open ? given.open(settings.database as string, how) : openStore(settings.database, how))
    try {
      running = await compose(settings, routes, {
        role,
        store,
        log,
        // Anybody can write an emulator's header, even to a proxy on this machine.
        clock: createClock(settings.clock, given.monotonic, store, settings.local && settings.development),
        timers: given.timers ?? realTimers,
        random: given.random ?? Math.random,
        fetch: settings.fetch,
        observers,
        tracer,
        createReports: given.createReports,
      })
    } catch (error) {
      await store.close()
      throw error
    }
  }

  async function close(drainMs: number, onDrained: (() => Promise<void>) | undefined): Promise<void> {
    const ending = running
    try {
      if (ending) await ending.stop({ drainMs, onDrained })
      else await onDrained?.()
    } finally {
      running = undefined
      table.close(false)
    }
  }

  function inTurn(step: () => Promise<void>): Promise<void> {
    const turn = lastTurn.then(step)
    lastTurn = turn.catch(() => {})
    return turn
  }

  async function start(how: StartOptions = {}): Promise<void> {
    if (starting) return starting
    // Read now: a start that waits for a stop keeps the overrides of its call.
    const given = overrides
    const turn = inTurn(() => open(how, given)).catch((error: unknown) => {
      // If a stop and another start were called meanwhile, `starting` is the later start and stays.
      if (starting === turn) starting = undefined
      table.close(false)
      throw error
    })
    starting = turn
    return turn
  }

  async function stop(how: { drain?: Duration; onDrained?: () => Promise<void> } = {}): Promise<void> {
    const drainMs = toMs(how.drain ?? DRAIN, 'drain')
    if (stopping && !starting) return stopping
    starting = undefined
    const turn = inTurn(() => close(drainMs, how.onDrained))
    stopping = turn
    const ended = () => {
      if (stopping === turn) stopping = undefined
    }
    turn.then(ended, ended)
    return turn
  }

  const lifecycle: Lifecycle = {
    needsNumber: isSource(options.numbers),
    log: o.log,
    start,
    stop,
    async receive(incoming) {
      if (running) return running.receive(incoming)
      o.log.error({}, 'a delivery arrived while the bot is not started: call bot.start() first')
      return ANSWERS.unavailable
    },
    elsewhere: async (request) => running?.elsewhere(request),
    ready: () => running?.ready() === true && !stopping,
    waitedMs: () => running?.waitedMs() ?? 0,
    role: () => running?.role,
    gauges: () => running?.gauges(),
    desk: () => (stopping ? undefined : running?.desk),
    trace(given) {
      if (starting || running) throw optionsInvalid('traceBot: call it before bot.start(); this bot is already started')
      tracer = given
    },
    running: () => running,
    options,
    during: (call) => overrides.during?.(call) ?? call,
    override(given) {
      if (overridden) throw optionsInvalid('another scenario uses this bot: close that one first, with close()')
      if (starting || running) throw optionsInvalid('a scenario needs a bot that is not started; this one is')
      overridden = true
      overrides = { ...o.overrides, ...given }
    },
    abandon() {
      table.close(false)
      running = starting = stopping = undefined
      lastTurn = Promise.resolve()
      overridden = false
      overrides = o.overrides
    },
  }
  return lifecycle
}

/** On an old Node the database driver ends the process without a message when it opens a file. */
function checkRuntime(): void {
  if (Number(process.versions['napi'] ?? 0) >= 10) return
  throw new SwitchhookError('runtime_too_old', `the database driver needs Node >= 22.14, this is ${process.version}`)
}

/** Imports the store's engine at the first start, after `checkRuntime`. */
async function openStore(database: Settings['database'], o: OpenOptions): Promise<Store> {
  if (typeof database !== 'string' || isPostgres(database)) {
    const { openPostgres } = await import('../store/postgres/postgres-store.ts')
    return openPostgres(database, o)
  }
  const { openSqlite } = await import('../store/sqlite/sqlite-store.ts')
  return openSqlite(database, o)
}
