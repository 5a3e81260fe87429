import { expect } from 'vitest'
import { assemble, type Bot, type Sender } from '../../src/bot/bot.ts'
import { lifecycleOf, type TestOverrides } from '../../src/bot/lifecycle.ts'
import type { BotOptions } from '../../src/bot/options.ts'
import { type Duration, toMs } from '../../src/base/duration.ts'
import { EMULATOR_CLOCK_OFFSET } from '../../src/service/contract.ts'
import { CONTROL_PREFIX } from '../../src/emulator/control/request.ts'
import { answerControl } from '../../src/emulator/control/control-routes.ts'
import type { EmulatorOptions } from '../../src/emulator/emulator.ts'
import type { HttpAnswer, HttpRequest } from '../../src/emulator/http/messages.ts'
import { answerTo } from '../../src/emulator/http/server.ts'
import { createInProcessApi } from '../../src/emulator/in-process.ts'
import { firstNumber } from '../../src/emulator/model/account.ts'
import { resolveOptions } from '../../src/emulator/emulator-options.ts'
import { answerApi } from '../../src/emulator/service/api.ts'
import { createWorld } from '../../src/emulator/world.ts'
import type { Store } from '../../src/store/store.ts'
import { createActivity } from '../../src/kit/testing/activity.ts'
import { type BotProcess, startProcess } from '../../src/kit/testing/bot-process.ts'
import { fetchInProcess } from '../../src/kit/testing/test-service.ts'
import { createSettler } from '../../src/kit/testing/settler.ts'
import { createVirtualTime } from '../../src/kit/testing/virtual-time.ts'
import { ASHA } from './people.ts'
import { type LogLine, logTo, type Shown } from './world.ts'
import { openWorldDatabase } from './world-database.ts'

export { ASHA, JUMA } from './people.ts'

/** Emulator and bot in one process without sockets, files or real time: the clock moves when everything is idle. */
export interface World extends AsyncDisposable {
  readonly emulator: ReturnType<typeof createInProcessApi> & {
    readonly phoneNumberId: string
    readonly accessToken: string
    readonly signingSecret: string
  }
  bot: Bot & Sender
  readonly lines: LogLine[]
  /** Virtual time, in milliseconds since the epoch. It begins at real time, and real time soon falls behind it. */
  now(): number
  /** Stops the bot at once, and starts another one over the same database. */
  restart(routes: (bot: Bot & Sender) => void): Promise<void>
  /** Kills the bot's process where it stands. */
  kill(): void
  /** Kills it, and starts another one over the same database. */
  crash(routes: (bot: Bot & Sender) => void): Promise<void>
  thread(customer?: string): Promise<Shown[]>
  /** The texts that arrived on the phone: no refused sends, nothing inbound. */
  replies(customer?: string): Promise<(string | null)[]>
  /** Resolves as soon as the condition holds, and fails if nothing is left to do before. Time stops meanwhile. */
  until(holds: () => unknown): Promise<void>
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>
  /** Lets virtual time pass, such as `'5m'`. */
  pass(span: Duration): Promise<void>
  /** Hands a delivery to the bot, and answers with the status. */
  deliver(headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>
  /** The rows of all tables, as JSON. */
  rows(): Promise<string>
  /** The bot's store. @throws Error if the bot is stopped. */
  store(): Store
  /** Runs a query over the database's tables. */
  read(sql: string): Promise<Record<string, unknown>[]>
  counts: Store['counts']
  control(method: string, path: string, body?: unknown): Promise<unknown>
}

const WEBHOOK = 'http://127.0.0.1/webhooks/messages'
const ADDRESS = 'http://127.0.0.1'

export async function openWorld(
  routes: (bot: Bot & Sender) => void,
  o: {
    options?: BotOptions
    emulator?: EmulatorOptions
    /** Deliveries come to the endpoint of this number; its credentials are the options' own. */
    number?: string
    internals?: Pick<TestOverrides, 'createReports'>
  } = {},
): Promise<World> {
  const time = createVirtualTime(Date.now())
  const activity = createActivity()
  const serviceTimers = time.timers()
  const { internals: _, assumptions, ...emulatorOptions } = o.emulator ?? {}
  const resolved = resolveOptions({
    webhook: WEBHOOK,
    seed: 7,
    ...emulatorOptions,
    assumptions: { statusAfterMs: { sent: 0, delivered: 0 }, ...assumptions },
    internals: {
      timers: serviceTimers,
      wall: () => new Date(time.now()),
      post: async ({ headers, body }) => (await activity.during(receive(headers, body))) ?? { error: 'timeout' },
    },
  })
  const service = createWorld(resolved)
  const secret = () => service.state.subscriptions.list()[0]?.secret ?? resolved.secret
  const lines: LogLine[] = []
  const database = await openWorldDatabase()
  let current: BotProcess

  function receive(headers: Readonly<Record<string, string>>, body: Buffer) {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const endpoint = o.number !== undefined && { number: async () => o.number }
    return current.receive({ method: 'POST', headers: lower, readBody: async () => ({ bytes: body }), ...endpoint })
  }

  const fetchFromService = fetchInProcess(async (request) => {
    const { status, body, headers, ...rest } = await activity.untilItWaits(
      answerApi(service.state, request).catch(answerTo),
    )
    const offset = { [EMULATOR_CLOCK_OFFSET]: String(service.state.clock.offset) }
    return { status, body, headers: { ...headers, ...offset }, ...rest }
  })

  async function start(register: (bot: Bot & Sender) => void): Promise<Bot & Sender> {
    const options: BotOptions = {
      keysRememberedFor: (assumptions?.keysRememberedFor ?? '24h') === '24h' ? '24h' : 'until_settled',
      baseUrl: ADDRESS,
      ...(o.number === undefined && { accessToken: firstNumber(service.state.account).token, signingSecret: secret() }),
      database: ':memory:',
      logger: logTo(lines),
      clock: () => new Date(time.now()),
      fetch: fetchFromService,
      ...o.options,
    }
    const bot = assemble(options, { environment: {}, ...o.internals })
    register(bot)
    const life = lifecycleOf(bot)
    current = await activity.during(startProcess({ life, database, time, activity, options: (given) => given }))
    return bot
  }

  const emulator = Object.defineProperties(createInProcessApi(service, serviceTimers), {
    phoneNumberId: { get: () => firstNumber(service.state.account).id },
    accessToken: { get: () => firstNumber(service.state.account).token },
    signingSecret: { get: secret },
  }) as World['emulator']

  const watchers = new Set<() => Promise<boolean>>()
  let bot = await start(routes)
  const settler = createSettler({
    time,
    activity,
    serviceTimers,
    currentProcess: () => current,
    service: {
      mayAwaitTemplates: () => false,
      numbers: [
        {
          emulator: {
            undelivered: () =>
              service.state.deliverer.history
                .list()
                .filter(({ state }) => state === 'pending')
                .map(({ id, event, customer }) => ({ id, event, customer, pending: true, last: undefined })),
          },
        },
      ],
    },
    onIdle: async () => {
      let held = false
      for (const watch of watchers) held = (await watch()) || held
      // The test continues before time does.
      if (held) await new Promise((resolve) => void setImmediate(resolve))
      return held
    },
  })

  function storeOf(): Store {
    const store = current.store()
    if (!store) throw new Error('the bot is stopped')
    return store
  }

  const thread = async (customer = ASHA) => (await emulator.customer(customer).thread()) as unknown as Shown[]

  async function until(holds: () => unknown): Promise<void> {
    const held = Promise.withResolvers<void>()
    const watch = async () => {
      if (!(await holds())) return false
      watchers.delete(watch)
      held.resolve()
      return true
    }
    watchers.add(watch)
    // The condition may wait for the test's own code, of which the settler knows nothing. Once it held, or the
    // world is gone, nobody asks: a poll that outlives its test moves the false timers of another one.
    const isOver = () => !watchers.has(watch)
    const holdsAtLast = async () => {
      if (!isOver()) await expect.poll(async () => isOver() || holds()).toBeTruthy()
    }
    const atRest = settler.settle().then(holdsAtLast)
    await Promise.race([held.promise, atRest]).finally(() => watchers.delete(watch))
    atRest.catch(() => {})
  }

  return {
    emulator,
    lines,
    get bot() {
      return bot
    },
    set bot(another) {
      bot = another
    },
    now: () => time.now(),
    async restart(register) {
      const stopped = bot.stop({ drain: 0 })
      settler.settle().catch(() => {})
      await stopped
      current.kill()
      bot = await start(register)
    },
    kill: () => current.kill(),
    async crash(register) {
      current.kill()
      bot = await start(register)
    },
    thread,
    replies: async (customer = ASHA) =>
      (await thread(customer))
        .filter((item) => item.direction === 'OUTBOUND' && !item.refused)
        .map((item) => item.text),
    until,
    settled: () => settler.settle(),
    pass: (span) => settler.settle(time.now() + toMs(span, 'pass')),
    async deliver(headers, body) {
      const answer = await activity.during(receive(headers, Buffer.from(body)))
      return answer?.status
    },
    rows: database.rows,
    read: database.read,
    store: storeOf,
    counts: async () => storeOf().counts(),
    async control(method, path, body) {
      const request: HttpRequest = {
        method,
        path: `${CONTROL_PREFIX}/${path}`,
        query: new URLSearchParams(),
        headers: {},
        body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      }
      const answer: HttpAnswer = await answerControl(service, request).catch(answerTo)
      expect(answer.status, `${method} ${path}: ${answer.body}`).toBe(200)
      return JSON.parse(answer.body)
    },
    async [Symbol.asyncDispose]() {
      settler.close()
      watchers.clear()
      current.kill()
      service.close()
      serviceTimers.end()
      await database.close()
    },
  }
}
