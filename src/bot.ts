import { pino } from 'pino'
import { createClock, type Random, realTimers, type Timers } from './base/clock.ts'
import { type Duration, toMs } from './base/duration.ts'
import { SwitchhookError } from './base/errors.ts'
import { harmless, type Log, silent } from './base/log.ts'
import { type Env, type Reach, type Routes, RouteTable, type SendOptions } from './dispatch/index.ts'
import { APP } from './reply/index.ts'
import { checkedSend } from './check-send.ts'
import { type BotOptions, checkOptions, type NumberOptions } from './options.ts'
import { ANSWERS } from './receive/answers.ts'
import { type AnyBot, mount } from './receive/mount.ts'
import { createObservers, type Hooks, tellOfDeclaredEvents } from './report/index.ts'
import { run, type Running } from './running.ts'
import { settingsFrom } from './settings.ts'
import type { Store } from './stores/port/index.ts'

/** What a service class takes: no generics. A bot is one when it has one number, else `bot.number(name)` is. */
export interface Sender {
  /** For what answers nothing: the key says what the message is about, and the same key is sent once. */
  to(customer: string): Reach<SendOptions>
}

export interface Bot<E extends Env = Env> extends Routes<E>, AnyBot {
  readonly '~env'?: E
  number(name: E['number']): Sender
  /** Hears of everything and decides nothing: metrics and alarms hang here. */
  observe(hooks: Hooks): this
  /**
   * Opens the store, checks environment and routes, and begins to work. A second call changes nothing. A database that
   * was brought back from a backup starts with its sends held; `restored` says so where it cannot be noticed.
   *
   * @throws SwitchhookError `environment_missing`, `options_invalid`, `runtime_too_old`, `store_unavailable`,
   * `store_newer`.
   */
  start(o?: StartOptions): Promise<void>
  /** Lets running handlers end (`drain`, default 10 s), gives the rest back, and closes. Deliveries are stored until then. */
  stop(o?: { drain?: Duration }): Promise<void>
}

export interface StartOptions {
  /**
   * The database was brought back from a backup: what may have gone out since the backup was taken is held, until a
   * person lets it go. For one start; without it that is noticed where `<database>.generation` beside the file shows
   * that an older copy took its place. Not noticed: a backup of the last hour that no start came after, and one that
   * came to a place without that file or together with it, as a snapshot of a disk does.
   */
  restored?: boolean
}

type EnvOf<N> = { number: [N] extends [never] ? 'default' : keyof N & string }

/** What a test takes over. */
export interface Internals {
  readonly timers?: Timers
  readonly random?: Random
  readonly environment?: NodeJS.ProcessEnv
  /** Opens the store instead of SQLite. */
  readonly open?: (database: string, o: StartOptions) => Store
}

const DRAIN: Duration = '10s'

/**
 * Makes a bot. Inert: no file, no socket, no environment until `start()`, so that a module may export it and a
 * test may take it.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function createBot<N extends Record<string, NumberOptions> = never>(
  options: BotOptions<N> = {},
): Bot<EnvOf<N>> & ([N] extends [never] ? Sender : object) {
  return assemble(options, {}) as Bot<EnvOf<N>> & ([N] extends [never] ? Sender : object)
}

/** `createBot` with what a test takes over. */
export function assemble(options: BotOptions, internals: Internals): Bot & Sender {
  checkOptions(options)
  const routes = new RouteTable()
  const log = logOf(options)
  const observers = createObservers(log)
  let running: Running | undefined
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined

  async function open(o: StartOptions): Promise<void> {
    if (!internals.open) checkRuntime()
    const settings = settingsFrom(options, internals.environment ?? process.env)
    const store = await (internals.open ?? openSqliteLate)(settings.database, { restored: o.restored ?? false })
    try {
      running = await run(settings, routes, {
        store,
        log,
        clock: createClock(options.clock),
        timers: internals.timers ?? realTimers,
        random: internals.random ?? Math.random,
        fetch: options.fetch,
        observers,
      })
    } catch (error) {
      await store.close()
      throw error
    }
    tellOfDeclaredEvents(log, routes.events())
  }

  const start = (o: StartOptions = {}) => {
    starting ??= open(o).catch((error: unknown) => {
      starting = undefined
      throw error
    })
    return starting
  }

  /** What comes while it drains is still stored; whoever asks twice waits for the one stop. */
  const stop = (drain: Duration = DRAIN, drained?: () => Promise<void>): Promise<void> => {
    stopping ??= close(toMs(drain, 'drain'), drained).finally(() => {
      stopping = undefined
    })
    return stopping
  }

  async function close(drainMs: number, drained: (() => Promise<void>) | undefined): Promise<void> {
    await starting?.catch(() => {})
    try {
      if (running) await running.stop({ drainMs, drained })
      else await drained?.()
    } finally {
      running = undefined
      starting = undefined
    }
  }

  const senderOf = (number: string): Sender => ({
    to: (customer) => ({
      async send(content, options) {
        const { key, outsideWindow, ref } = checkedSend(options)
        if (!running) throw notStarted()
        const slot = JSON.stringify(key)
        return running.say({ number, to: customer, content, outsideWindow, ref, cause: APP, slot })
      },
    }),
  })

  const bot = {
    ...routing(routes),
    number(name: string) {
      if (!(name in (options.numbers ?? { default: {} })))
        throw new SwitchhookError('options_invalid', `there is no number "${name}" among the option numbers`)
      return senderOf(name)
    },
    observe(hooks: Hooks) {
      observers.add(hooks)
      return this
    },
    to: (customer: string) => senderOf('default').to(customer),
    start,
    stop: (o: { drain?: Duration } = {}) => stop(o.drain),
  } as Bot & Sender

  mount(bot, {
    receive: (incoming) => running?.receive(incoming) ?? Promise.resolve(notYet(log)),
    start: () => start(),
    stop: (drained) => stop(DRAIN, drained),
    ready: () => running !== undefined && !stopping,
  })
  return bot
}

/** The methods of `Routes`, which answer the bot itself. */
function routing(table: RouteTable): Routes<Env> {
  return {
    hears(what: Parameters<RouteTable['hears']>[0], handler: never) {
      table.hears(what, handler)
      return this
    },
    tapped(id: string, handler: never) {
      table.tapped(id, handler)
      return this
    },
    received(...given: [never] | [string, never]) {
      const [kind, handler] = given.length === 1 ? [undefined, given[0]] : given
      table.received(kind, handler)
      return this
    },
    otherwise(handler: never) {
      table.otherwise(handler)
      return this
    },
    onError(handler: RouteTable['errorHandlers'][number]) {
      table.errorHandlers.push(handler)
      return this
    },
    onDead(handler: RouteTable['deadHandlers'][number]) {
      table.deadHandlers.push(handler)
      return this
    },
    on(event: string, handler: never) {
      table.on(event, handler)
      return this
    },
  } as Routes<Env>
}

/** On an old Node the database driver ends the process without a word when a file is opened. */
function checkRuntime(): void {
  if (Number(process.versions['napi'] ?? 0) >= 10) return
  throw new SwitchhookError('runtime_too_old', `the database driver needs Node >= 22.14, this is ${process.version}`)
}

/** Loaded when it is needed: see `checkRuntime`. */
async function openSqliteLate(database: string, o: StartOptions): Promise<Store> {
  const { openSqlite } = await import('./stores/sqlite/index.ts')
  return openSqlite(database, o)
}

function logOf(options: BotOptions): Log {
  if (options.logger === false) return silent
  return harmless(options.logger ?? pino({ name: 'switchhook' }))
}

function notYet(log: Log) {
  log.error({}, 'a delivery came before the bot was started, or after it was stopped: call bot.start() first')
  return ANSWERS.unavailable
}

function notStarted(): SwitchhookError {
  return new SwitchhookError(
    'not_started',
    'nothing can be sent before bot.start() (serve() calls it) or after bot.stop()',
  )
}
