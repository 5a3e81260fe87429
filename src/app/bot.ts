import { pino } from 'pino'
import type { Duration } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { type Log, safeLog, silent } from '../base/log.ts'
import type { Out, Schema } from '../base/schema.ts'
import { customerHandle } from '../dispatch/customer-handle.ts'
import { APP_CAUSE } from '../outbox/record-send.ts'
import { checkedSend, type SendKey, type SendOptions, slotOf } from '../outbox/send-options.ts'
import { setInternals } from '../receive/bot-internals.ts'
import { createObservers, type Hooks } from '../report/index.ts'
import { attachTable, routeMethods } from '../routes/register.ts'
import type { Env, Reach } from '../routes/context.ts'
import type { Routes } from '../routes/routes.ts'
import { RouteTable } from '../routes/table.ts'
import type { FactsOf, Paths } from './data-options.ts'
import { createLifecycle, type TestOverrides } from './lifecycle.ts'
import { isNumberName, isSource, type NumbersOption, type NumberSource } from './numbers.ts'
import { type BotOptions, checkOptions, type StartOptions } from './options.ts'

/** The methods that act on one customer from outside their handlers. */
export interface SenderReach<S = unknown> extends Reach<SendOptions, S> {
  /**
   * Changes this customer's session; the next handler finds the change. `change` writes into what it is given, or returns
   * another session. It runs again if a handler or another call writes the session meanwhile, so let it do nothing else.
   * A handler that runs meanwhile keeps its own changes too; it runs again only if both changed the same key at the top
   * of the session. Resolves with the stored session.
   *
   * @throws SwitchhookError `options_invalid` for a bot without sessions; `session_invalid`.
   */
  updateSession(change: (session: S) => S | void | Promise<S | void>): Promise<S>
}

/**
 * Sends messages that answer nothing. Its one type parameter has a default, so a service class can take a plain `Sender`.
 * A bot with one number is a `Sender`; with several, `bot.number(name)` is.
 */
export interface Sender<S = unknown> {
  /** A handle on one customer. `send` takes a key that says what the message is about: the same key is sent once. */
  to(customer: string): SenderReach<S>
  /**
   * Takes back a send that has surely not gone out, such as a scheduled one or one that waits for the service. Its key is
   * free again then. False if the send does not exist, or if an attempt is under way.
   */
  cancel(key: SendKey): Promise<boolean>
}

export interface Bot<E extends Env = Env> extends Routes<E> {
  /**
   * The sender of one of several numbers. Of a source any name that a number may have is taken: if none has it, a send is
   * the error `no_access_token`.
   *
   * @throws SwitchhookError `options_invalid` if no number has this name.
   */
  number(name: E['number']): Sender<E['session']>
  /** Adds hooks that receive all events and decide nothing, for metrics and alarms. */
  observe(hooks: Hooks): this
  /**
   * Opens the store, checks environment and routes, and begins to work. A second call changes nothing. A database that
   * was restored from a backup starts with its sends held; `restored` tells of a restore that is not noticed.
   *
   * @throws SwitchhookError `environment_missing`, `options_invalid`, `runtime_too_old`, `store_unavailable`,
   * `store_newer`.
   */
  start(o?: StartOptions): Promise<void>
  /**
   * Lets running handlers end for as long as `drain` (default 8 s), releases the other attempts, and closes the store.
   * Deliveries are stored until then.
   */
  stop(o?: { drain?: Duration }): Promise<void>
}

interface EnvOf<S, F, N> {
  session: [S] extends [never] ? object : Out<S>
  number: [NumbersOption] extends [N] ? 'default' : N extends NumberSource ? string : keyof N & string
  vars: object
  facts: FactsOf<F>
}

/**
 * Makes a bot. It opens no file and no socket and reads no environment until `start()`, so that a module may export it
 * and a test may take it.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function createBot<
  // oxlint-disable-next-line typescript/no-explicit-any -- any library's schema
  S extends Schema<any, any> = never,
  const F extends Paths = Paths,
  N extends NumbersOption = NumbersOption,
>(options: BotOptions<S, F, N> = {}): Made<S, F, N> {
  return assemble(options, {}) as unknown as Made<S, F, N>
}

/** Without the option `numbers` the compiler takes all that it may be. */
type Made<S, F, N> = [NumbersOption] extends [N]
  ? Bot<Plain<EnvOf<S, F, N>>> & Sender<EnvOf<S, F, N>['session']>
  : Bot<Plain<EnvOf<S, F, N>>>

/** Spells a type out, so that the compiler's messages show the app's own types and none of our names. */
type Plain<T> = T extends infer U ? { [K in keyof U]: U[K] } : never

/** `createBot`, with the parts that a test replaces. */
export function assemble(options: BotOptions, overrides: TestOverrides): Bot & Sender {
  checkOptions(options)
  const table = new RouteTable()
  const log = logOf(options)
  const observers = createObservers(log)
  const lifecycle = createLifecycle({ options, overrides, table, log, observers })

  const names = namesOf(options.numbers)
  const runningFor = (number: string) => {
    // The compiler refuses a missing number too, but in TypeScript alone.
    if (!names.has(number)) throw unclearNumber(names.example)
    const running = lifecycle.running()
    if (!running) throw notStarted()
    return running
  }
  const senderOf = (number: string): Sender => ({
    to: (customer) =>
      customerHandle<SendOptions>(customer, {
        number,
        fence: undefined,
        takeover: () => runningFor(number).takeover,
        effect: async (run) => lifecycle.during(run()),
        enter: async (who, conversation, input) => runningFor(number).enter(who, conversation, input),
        session: async (who) => lifecycle.during(runningFor(number).sessionOf(who)),
        updateSession: async (who, change) => lifecycle.during(runningFor(number).updateSession(who, change)),
        sendCode: (code) => runningFor(number).outbox.sendCode(code),
        recordSend(content, given) {
          const options = checkedSend(given)
          const slot = slotOf(options.key)
          const { outbox } = runningFor(number)
          return outbox.recordSend({ number, to: customer, content, cause: APP_CAUSE, slot, options })
        },
      }) as SenderReach,
    cancel: async (key) => lifecycle.during(runningFor(number).outbox.cancel(number, slotOf(key))),
  })

  const bot = {
    ...routeMethods(table),
    number(name: string) {
      if (!names.has(name)) throw optionsInvalid(names.refusal(name))
      return senderOf(name)
    },
    observe(hooks: Hooks) {
      observers.add(hooks)
      return this
    },
    ...senderOf(names.own),
    start: lifecycle.start,
    stop: lifecycle.stop,
  } as Bot & Sender

  attachTable(bot, table)
  setInternals(bot, lifecycle)
  return bot
}

function logOf({ logger }: BotOptions): Log {
  if (logger === false) return silent
  return safeLog(logger ?? pino({ name: 'switchhook' }))
}

interface Names {
  /** The one that the bot itself sends from; no name of a number if there are several. */
  readonly own: string
  readonly example: string
  has(name: string): boolean
  refusal(name: string): string
}

function namesOf(numbers: NumbersOption | undefined): Names {
  if (isSource(numbers))
    return {
      own: '',
      example: 'NAME',
      has: isNumberName,
      refusal: () => 'number(): expected the name of a number, of letters, digits, - and _',
    }
  const names = Object.keys(numbers ?? { default: {} })
  return {
    own: 'default',
    example: names[0] as string,
    has: (name) => names.includes(name),
    refusal: (name) => `there is no number "${name}" among the option numbers`,
  }
}

function unclearNumber(example: string): SwitchhookError {
  return optionsInvalid(
    `with several numbers a bot cannot know which one to send from: use bot.number('${example}').to(…)`,
  )
}

function notStarted(): SwitchhookError {
  return new SwitchhookError(
    'not_started',
    'nothing can be sent before bot.start() (serve() calls it) or after bot.stop()',
  )
}
