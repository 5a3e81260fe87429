import { createClock, type Random, realTimers, type Timers } from '../base/clock.ts'
import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { type Log, safeLog } from '../base/log.ts'
import type { Feature } from './feature.ts'
import type { Watcher } from './watcher.ts'
import { newSession } from './work/session.ts'
import { type AnyBot, type BotInternals, type Desk, type Gauges, internalsOf, type Role } from './bot-internals.ts'
import { type Answer, ANSWERS, type Elsewhere, type Incoming } from './inbox/http.ts'
import type { Hooks, Observers } from './report/observers.ts'
import { type createReports, reportStoreFailure } from './report/reports.ts'
import { compile } from './routes/compile.ts'
import type { RouteTable } from './routes/table.ts'
import type { Commit } from '../store/database/engine.ts'
import type { Store } from '../store/store.ts'
import { isPostgres } from '../store/postgres/address.ts'
import { compose, type RunningBot } from './compose.ts'
import { isSource } from './number-options.ts'
import { type BotOptions, type Settings, settingsFrom, type StartOptions, startSettings } from './options.ts'

interface OpenOptions extends Pick<StartOptions, 'restored'> {
  readonly say: (line: string) => void
  readonly onCommit: (commit: Commit) => void
  readonly onFailure: (line: string, alarm: string) => void
  readonly schemaOwner: string | undefined
}

export interface TestOverrides {
  readonly timers?: Timers
  /** Measures durations. Default: the option `clock`. */
  readonly monotonic?: () => number
  readonly random?: Random
  readonly environment?: NodeJS.ProcessEnv
  readonly open?: (database: string, o: OpenOptions) => Store | Promise<Store>
  readonly options?: (given: BotOptions) => BotOptions
  readonly log?: Log
  /** Wraps each call of `bot.to()`, so that a test can reject it. After `abandon` the call would never end. */
  readonly during?: <T>(call: Promise<T>) => Promise<T>
  readonly hooks?: Hooks
  readonly createReports?: typeof createReports
}

/** @throws SwitchhookError `options_invalid` if the value is not a bot. */
export function lifecycleOf(bot: AnyBot): BotLifecycle {
  // `assemble` makes every bot, and registers its lifecycle as its internals.
  return internalsOf(bot) as BotLifecycle
}

/** Shorter than the ten seconds that containers usually have between SIGTERM and SIGKILL. */
const DRAIN: Duration = '8s'

interface LifecycleDeps {
  readonly options: BotOptions
  readonly overrides: TestOverrides
  readonly table: RouteTable
  readonly log: Log
  readonly observers: Observers
}

/** Starts and stops a bot, perhaps several times. Each start and stop waits for those before it. */
export class BotLifecycle implements BotInternals {
  readonly #o: LifecycleDeps
  readonly needsNumber: boolean
  readonly log: Log
  readonly options: BotOptions
  #overrides: TestOverrides
  #watcher: Watcher | undefined
  #running: RunningBot | undefined
  #starting: Promise<void> | undefined
  #stopping: Promise<void> | undefined
  #lastStep: Promise<void> = Promise.resolve()

  constructor(o: LifecycleDeps) {
    this.#o = o
    this.#overrides = o.overrides
    this.needsNumber = isSource(o.options.numbers)
    this.log = o.log
    this.options = o.options
  }

  async start(how: StartOptions = {}): Promise<void> {
    const { table } = this.#o
    if (this.#starting) return this.#starting
    // A start that waits for a stop keeps the overrides that were there when it was called.
    const given = this.#overrides
    const starting = this.#afterOthers(() => this.#open(how, given)).catch((error: unknown) => {
      // If a stop and another start were called meanwhile, `#starting` is that start.
      if (this.#starting === starting) this.#starting = undefined
      table.close(false)
      throw error
    })
    this.#starting = starting
    return starting
  }

  async stop(how: { drain?: Duration; onDrained?: () => Promise<void> } = {}): Promise<void> {
    const drainMs = toMs(how.drain ?? DRAIN, 'drain')
    if (this.#stopping && !this.#starting) return this.#stopping
    this.#starting = undefined
    const stopping = this.#afterOthers(() => this.#close(drainMs, how.onDrained))
    this.#stopping = stopping
    const ended = () => {
      if (this.#stopping === stopping) this.#stopping = undefined
    }
    stopping.then(ended, ended)
    return stopping
  }

  async receive(incoming: Incoming): Promise<Answer> {
    if (this.#running) return this.#running.receiver.receive(incoming)
    this.#o.log.error({}, 'a delivery arrived while the bot is not started: call bot.start() first')
    return ANSWERS.unavailable
  }

  async elsewhere(request: Elsewhere): Promise<void> {
    await this.#running?.receiver.elsewhere(request)
  }

  ready(): boolean {
    return this.#running?.receiver.ready() === true && !this.#stopping
  }

  waitedMs(): number {
    return this.#running?.waitedMs() ?? 0
  }

  role(): Role | undefined {
    return this.#running?.role
  }

  gauges(): Promise<Gauges> | undefined {
    return this.#running?.gauges()
  }

  desk(): Desk | undefined {
    return this.#stopping ? undefined : this.#running?.desk
  }

  add({ name, hooks, watcher }: Feature): void {
    if (watcher && (this.#starting || this.#running))
      throw optionsInvalid(`${name}: call it before bot.start(); this bot is already started`)
    this.#watcher = watcher ?? this.#watcher
    if (hooks) this.#o.observers.add(hooks)
  }

  /** Undefined before the start and after the stop. While the bot is stopping, it still stores deliveries. */
  running(): RunningBot | undefined {
    return this.#running
  }

  during<T>(call: Promise<T>): Promise<T> {
    return this.#overrides.during?.(call) ?? call
  }

  /** Replaces parts until `abandon`. @throws SwitchhookError `options_invalid` if the bot is started or overridden. */
  override(given: TestOverrides): void {
    if (this.#overrides !== this.#o.overrides)
      throw optionsInvalid('another scenario uses this bot: close that one first, with close()')
    if (this.#starting || this.#running) throw optionsInvalid('a scenario needs a bot that is not started; this one is')
    this.#overrides = { ...this.#o.overrides, ...given }
  }

  /** Drops the running bot without ending anything, as if the process had died. The bot can be started again. */
  abandon(): void {
    const { table } = this.#o
    table.close(false)
    this.#running = this.#starting = this.#stopping = undefined
    this.#lastStep = Promise.resolve()
    this.#overrides = this.#o.overrides
  }

  async #open(asked: StartOptions, given: TestOverrides): Promise<void> {
    const { options, table } = this.#o
    if (!given.open) checkRuntime()
    const environment = given.environment ?? process.env
    const { role, restored } = startSettings(asked, environment)
    const { hooks } = given
    const log = given.log ? safeLog(given.log) : this.#o.log
    const settings = settingsFrom(given.options?.(options) ?? options, environment)
    if (settings.session) await newSession(settings.session)
    const routes = compile(table)
    table.close(true)
    const observers = hooks ? this.#o.observers.and(hooks) : this.#o.observers
    const how = {
      restored,
      say: (line: string) => log.warn({}, line),
      onCommit: (commit: Commit) => observers.notify('committed', { ...commit }),
      onFailure: (line: string, alarm: string) => reportStoreFailure(log, observers, line, alarm),
      schemaOwner: settings.schemaOwner,
    }
    // A test that opens its own store names the database by a string, never by a pool.
    const store = await (given.open ? given.open(settings.database as string, how) : openStore(settings.database, how))
    try {
      this.#running = await compose(settings, routes, {
        role,
        store,
        log,
        // In production no emulator may move the clock, even if the API is a proxy on this machine.
        clock: createClock(settings.clock, given.monotonic, store, settings.local && settings.development),
        timers: given.timers ?? realTimers,
        random: given.random ?? Math.random,
        fetch: settings.fetch,
        observers,
        watcher: this.#watcher,
        createReports: given.createReports,
      })
    } catch (error) {
      await store.close()
      throw error
    }
  }

  async #close(drainMs: number, onDrained: (() => Promise<void>) | undefined): Promise<void> {
    const { table } = this.#o
    const ending = this.#running
    try {
      if (ending) await ending.stop({ drainMs, onDrained })
      else await onDrained?.()
    } finally {
      this.#running = undefined
      table.close(false)
    }
  }

  #afterOthers(step: () => Promise<void>): Promise<void> {
    const done = this.#lastStep.then(step)
    this.#lastStep = done.catch(() => {})
    return done
  }
}

/** Refuses an old Node, on which the database driver would end the process without a message. */
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
