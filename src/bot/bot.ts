import { pino } from 'pino'
import type { Duration } from '../base/duration.ts'
import { optionsInvalid, SwitchhookError } from '../base/errors.ts'
import { type Log, safeLog, silent } from '../base/log.ts'
import type { Out, Schema } from './standard-schema.ts'
import { customerHandle } from './work/customer-handle.ts'
import type { SenderMembers } from '../built-in/sender.ts'
import { checkedSend, type SendKey, type SendOptions, slotOf } from './outbox/send-options.ts'
import { setInternals } from './bot-internals.ts'
import { createObservers, type Hooks } from './report/observers.ts'
import { attachTable, routeMethods } from './routes/register.ts'
import type { Env, Reach } from './routes/context.ts'
import type { Routes } from './routes/routes.ts'
import { RouteTable } from './routes/table.ts'
import type { FactsOf, Paths } from './payload-options.ts'
import { senderMembers } from './built-in-parts.ts'
import type { RunningBot } from './compose.ts'
import { BotLifecycle, type TestOverrides } from './lifecycle.ts'
import { isNumberName, isSource, type NumbersOption, type NumberSource } from './number-options.ts'
import { type BotOptions, checkOptions, type StartOptions } from './options.ts'
import { APP_CAUSE } from '../store/outbox/send-rules.ts'

/** What you can do for one customer from outside their handlers. */
export interface SenderReach<S = unknown> extends Reach<SendOptions, S> {
  /**
   * Changes this customer's session. `change` modifies its argument or returns another session. It is called again if a
   * handler or another call writes the session meanwhile, so let it do nothing else. A handler that runs at the same
   * time keeps its own changes. The handler runs again only if `change` and it changed the same top-level key. Resolves
   * with the stored session.
   *
   *     await bot.to('255712000101').updateSession((session) => {
   *       session.lang = 'sw'
   *     })
   *
   * @throws SwitchhookError `options_invalid` for a bot without sessions; `session_invalid`.
   */
  updateSession(change: (session: S) => S | void | Promise<S | void>): Promise<S>
}

/**
 * Sends messages that are not replies. Its type parameter has a default, so a service class can accept a plain
 * `Sender`. A bot with one number is a `Sender`. With several numbers, use `bot.number(name)`.
 */
export interface Sender<S = unknown> extends SenderMembers {
  /**
   * The methods for one customer. Pass `send` a key that names the message's subject. Each key is sent at most once.
   *
   *     await bot.to('255712000101').send('Order 7781 is ready.', { key: ['order', 7781, 'ready'] })
   */
  to(customer: string): SenderReach<S>
  /**
   * Cancels a send that has not gone out, which makes its key free again. Returns false if no such send exists, or an
   * attempt at it runs.
   */
  cancel(key: SendKey): Promise<boolean>
}

export interface Bot<E extends Env = Env> extends Routes<E> {
  /**
   * The sender of one of several numbers. If the numbers come from a source, any valid name is accepted, and an unknown
   * one makes sends fail with `no_access_token`.
   *
   * @throws SwitchhookError `options_invalid` if no number has this name.
   */
  number(name: E['number']): Sender<E['session']>
  /** Adds hooks for metrics and alarms. They receive all events and decide nothing. */
  observe(hooks: Hooks): this
  /**
   * Opens the store, checks environment and routes, and begins to work. A second call has no effect. A database that
   * was restored from a backup starts with its sends held. Pass `restored` for a restore that is not detected.
   *
   * @throws SwitchhookError `environment_missing`, `options_invalid`, `runtime_too_old`, `store_unavailable`,
   * `store_newer`.
   */
  start(o?: StartOptions): Promise<void>
  /** Lets handlers finish within `drain` (default 8 s) while deliveries are still stored, and closes the store. */
  stop(o?: { drain?: Duration }): Promise<void>
}

interface EnvOf<S, F, N> {
  session: [S] extends [never] ? object : Out<S>
  number: [NumbersOption] extends [N] ? 'default' : N extends NumberSource ? string : keyof N & string
  vars: object
  facts: FactsOf<F>
}

/**
 * Makes a bot. Until `start()` it opens no file and no socket and reads no environment variable, so a module can export
 * it and a test can use it.
 *
 *     const bot = createBot()
 *     bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
 *     await serve(bot, { port: 3000 })
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

/** If the type of `numbers` is not known, the bot may have one number, so its type also has the methods of `Sender`. */
type Made<S, F, N> = [NumbersOption] extends [N]
  ? Bot<Plain<EnvOf<S, F, N>>> & Sender<EnvOf<S, F, N>['session']>
  : Bot<Plain<EnvOf<S, F, N>>>

/** Expands a type, so that the compiler's messages show the app's own types and not our names. */
type Plain<T> = T extends infer U ? { [K in keyof U]: U[K] } : never

/** `createBot`, with parts that a test can replace. */
export function assemble(options: BotOptions, overrides: TestOverrides): Bot & Sender {
  checkOptions(options)
  const table = new RouteTable()
  const log = logOf(options)
  const observers = createObservers(log)
  const lifecycle = new BotLifecycle({ options, overrides, table, log, observers })

  // With `numbers.find` a number may have any name.
  const names = isSource(options.numbers) ? undefined : Object.keys(options.numbers ?? { default: {} })
  const mayExist = (name: string) => names?.includes(name) ?? isNumberName(name)
  const runningFor = (number: string) => {
    // In TypeScript the type `Bot` has no `to()` with several numbers. In JavaScript only this check refuses the call.
    if (!mayExist(number))
      throw optionsInvalid(
        `with several numbers a bot cannot know which one to send from: use bot.number('${names?.[0] ?? 'NAME'}').to(…)`,
      )
    const running = lifecycle.running()
    if (running) return running
    throw new SwitchhookError(
      'not_started',
      'nothing can be sent before bot.start() (serve() calls it) or after bot.stop()',
    )
  }
  const senderOf = (number: string) => createSender(number, lifecycle, () => runningFor(number))

  const bot = {
    ...routeMethods(table),
    number(name: string) {
      if (!mayExist(name))
        throw optionsInvalid(
          names
            ? `the number "${name}" is not in the option numbers`
            : 'number(): expected the name of a number, of letters, digits, - and _',
        )
      return senderOf(name)
    },
    observe(hooks: Hooks) {
      observers.add(hooks)
      return this
    },
    // With several numbers the bot's own `to()` throws, because no number has the name ''.
    ...senderOf(names ? 'default' : ''),
    start: (o?: StartOptions) => lifecycle.start(o),
    stop: (o?: { drain?: Duration }) => lifecycle.stop(o),
  } as Bot & Sender

  attachTable(bot, table)
  setInternals(bot, lifecycle)
  return bot
}

function createSender(number: string, lifecycle: BotLifecycle, running: () => RunningBot): Sender {
  return {
    to: (customer) =>
      customerHandle<SendOptions>(customer, {
        number,
        fence: undefined,
        customers: () => running().customers,
        effect: async (run) => lifecycle.during(run()),
        enter: async (who, made, input) => running().enter(who, made, input),
        session: async (who) => lifecycle.during(running().sessionOf(who)),
        updateSession: async (who, change) => lifecycle.during(running().updateSession(who, change)),
        ownSends: () => (lifecycle.running() ? running().ownSends : undefined),
        recordSend(content, given) {
          const options = checkedSend(given)
          const slot = slotOf(options.key)
          const { outbox } = running()
          return outbox.recordSend({ number, to: customer, content, cause: APP_CAUSE, slot, options })
        },
      }) as SenderReach,
    ...senderMembers(number, (call) => lifecycle.during(call(running().builtIn))),
    cancel: async (key) => lifecycle.during(running().outbox.cancel(number, slotOf(key))),
  }
}

function logOf({ logger }: BotOptions): Log {
  if (logger === false) return silent
  return safeLog(logger ?? pino({ name: 'switchhook' }))
}
