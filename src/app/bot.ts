import { pino } from 'pino'
import type { Duration } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { harmless, type Log, silent } from '../base/log.ts'
import type { Out, Schema } from '../base/schema.ts'
import { checkOptions } from './check-options.ts'
import { checkedSend, customerHandle, slotOf } from '../dispatch/index.ts'
import { setLifecycle, createLifecycle, type TestOverrides, type StartOptions } from './lifecycle.ts'
import type { BotOptions, FactsOf, NumberOptions, Paths } from './options.ts'
import { ANSWERS } from '../receive/answers.ts'
import { setInternals } from '../receive/bot-internals.ts'
import { APP } from '../outbox/index.ts'
import { createObservers, type Hooks } from '../report/index.ts'
import {
  bind,
  type Env,
  type Reach,
  registering,
  type Routes,
  RouteTable,
  type SendKey,
  type SendOptions,
} from '../routes/index.ts'

/** What a service class takes, without generics. A bot is one when it has one number, else `bot.number(name)` is. */
export interface Sender<S = unknown> {
  /** For what answers nothing: the key says what the message is about, and the same key is sent once. */
  to(customer: string): Reach<SendOptions, S>
  /**
   * Takes a send back that has surely not gone out, such as a scheduled one or one that the service is too busy for; false
   * where there is none, or where an attempt is under way. The key is free again then.
   */
  cancel(key: SendKey): Promise<boolean>
}

export interface Bot<E extends Env = Env> extends Routes<E> {
  /**
   * What sends for one of several numbers.
   *
   * @throws SwitchhookError `options_invalid` where no number is called so.
   */
  number(name: E['number']): Sender<E['session']>
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

/** What a bot's type knows of its options. */
interface EnvOf<S, F, N> {
  session: [S] extends [never] ? object : Out<S>
  number: [N] extends [never] ? 'default' : keyof N & string
  vars: object
  facts: FactsOf<F>
}

/**
 * Makes a bot. Inert: no file, no socket, no environment until `start()`, so that a module may export it and a
 * test may take it.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function createBot<
  // oxlint-disable-next-line typescript/no-explicit-any -- any library's schema
  S extends Schema<any, any> = never,
  const F extends Paths = Paths,
  N extends Record<string, NumberOptions> = never,
>(options: BotOptions<S, F, N> = {}): Made<S, F, N> {
  return assemble(options, {}) as unknown as Made<S, F, N>
}

type Made<S, F, N> = [N] extends [never]
  ? Bot<Plain<EnvOf<S, F, N>>> & Sender<EnvOf<S, F, N>['session']>
  : Bot<Plain<EnvOf<S, F, N>>>

/** Its members and not its name, so that the compiler's messages show the app's own types. */
type Plain<T> = T extends infer U ? { [K in keyof U]: U[K] } : never

/** `createBot` with what a test takes over. */
export function assemble(options: BotOptions, internals: TestOverrides): Bot & Sender {
  checkOptions(options)
  const table = new RouteTable()
  const log = logOf(options)
  const observers = createObservers(log)
  const life = createLifecycle({ options, internals, table, log, observers })

  const numbers = Object.keys(options.numbers ?? { default: {} })
  const runningFor = (number: string) => {
    // The compiler says so too, but to TypeScript alone.
    if (!numbers.includes(number)) throw unclearNumber(numbers)
    const now = life.running()
    if (!now) throw notStarted()
    return now
  }
  const senderOf = (number: string): Sender => ({
    to: (customer) =>
      customerHandle<SendOptions>(customer, {
        number,
        fence: undefined,
        takeover: () => runningFor(number).takeover,
        effect: async (run) => run(),
        session: async (who) => runningFor(number).sessionOf(who),
        sendCode: (code) => runningFor(number).outbox.sendCode(code),
        recordSend(content, options) {
          const { key, ...rest } = checkedSend(options)
          const slot = slotOf(key)
          return runningFor(number).outbox.recordSend({
            number,
            to: customer,
            content,
            cause: APP,
            slot,
            ...rest,
          })
        },
      }),
    cancel: async (key) => runningFor(number).outbox.cancel(number, slotOf(key)),
  })

  const bot = {
    ...registering(table),
    number(name: string) {
      if (!numbers.includes(name))
        throw new SwitchhookError('options_invalid', `there is no number "${name}" among the option numbers`)
      return senderOf(name)
    },
    observe(hooks: Hooks) {
      observers.add(hooks)
      return this
    },
    ...senderOf('default'),
    start: life.start,
    stop: (o: { drain?: Duration } = {}) => life.stop(o.drain),
  } as Bot & Sender

  bind(bot, table)
  setLifecycle(bot, life)
  setInternals(bot, {
    receive: (incoming) => life.running()?.receive(incoming) ?? Promise.resolve(notYet(log)),
    start: () => life.start(),
    stop: (drained) => life.stop(undefined, drained),
    ready: life.ready,
  })
  return bot
}

function logOf(options: BotOptions): Log {
  if (options.logger === false) return silent
  return harmless(options.logger ?? pino({ name: 'switchhook' }))
}

function notYet(log: Log) {
  log.error({}, 'a delivery came before the bot was started, or after it was stopped: call bot.start() first')
  return ANSWERS.unavailable
}

function unclearNumber([first]: readonly string[]): SwitchhookError {
  return new SwitchhookError(
    'options_invalid',
    `with several numbers a bot cannot know from which one to send: bot.number('${first}').to(…) says it`,
  )
}

function notStarted(): SwitchhookError {
  return new SwitchhookError(
    'not_started',
    'nothing can be sent before bot.start() (serve() calls it) or after bot.stop()',
  )
}
