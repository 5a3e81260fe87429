import { lifecycleOf } from '../../bot/lifecycle.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import type { Assumptions } from '../../emulator/model/assumptions.ts'
import type { AnyBot } from '../../bot/bot-internals.ts'
import { createActivity } from './activity.ts'
import { type BotProcess, TestedBot } from './bot-process.ts'
import { createFailures, TurnFailed } from './failures.ts'
import type { Sent } from '../../emulator/recording/message-view.ts'
import { loadRecording, play } from './play.ts'
import type { ScenarioTemplate } from '../../emulator/recording/recording.ts'
import { createService, type Faults, type Service } from './test-service.ts'
import { createSettler, type Settler } from './settler.ts'
import {
  createCustomer,
  createOwnIds,
  type Customer,
  type Outgoing,
  recordOutgoing,
  type Turn,
  turnOf,
} from './turn.ts'
import { checkTimers, createVirtualTime, type VirtualTime } from './virtual-time.ts'

export interface ScenarioOptions {
  /** The templates that the service has approved, on each number. Default: none. */
  readonly templates?: readonly ScenarioTemplate[]
  /** The names of the existing numbers, for a bot whose option `numbers` has a function `find`, which is not called. */
  readonly numbers?: readonly string[]
  /**
   * The time at which the scenario begins, in ISO form. Default: `2026-03-04T09:00:00Z`, a Wednesday, so that every run
   * is the same.
   */
  readonly at?: string
  /**
   * Settings of the emulator for questions that the service's specification leaves open. Default: the emulator's
   * defaults.
   */
  readonly assumptions?: Partial<Assumptions>
  /**
   * A folder of the service's own payloads, as `switchhook payload export` writes them. Deliveries have these shapes.
   * Default: shapes that comparable services use, in turn.
   */
  readonly payloads?: string
  /**
   * If true, a message that fits no fixture of `payloads` gets a shape that the emulator made up. Default false: the
   * turn fails, and names what is missing.
   */
  readonly madeUp?: boolean
}

/** A bot with its own service, database and clock. Nothing leaves the process, and no test waits for real time. */
export interface Scenario extends AsyncDisposable {
  /**
   * A customer with this phone number, in digits. The customer writes to the bot's first number, or to `number`.
   *
   * @throws SwitchhookError `options_invalid`
   */
  customer(digits: string, o?: { number?: string }): Customer
  /** Delivers an event with exactly this payload, to the first number or to `number`. This is a turn. */
  event(name: string, payload: object, o?: { number?: string }): Promise<Turn>
  /**
   * Lets time pass, such as `'25h'`. Everything that becomes due meanwhile happens at its own time. This is a turn. The
   * turn also contains what the app sent outside any turn.
   */
  advance(span: Duration): Promise<Turn>
  /**
   * Plays each step of a recording at its own time. `recording` is a path, or parsed JSON. Returns a transcript for
   * `expect(transcript).toMatchSnapshot()`: each step, followed by the messages sent and the failures. The recording's
   * templates are added to those of the scenario.
   *
   * @throws SwitchhookError `options_invalid` if it is not a recording, or begins before the scenario's time.
   */
  play(recording: string | object): Promise<string>
  /** The time of the service and of `ctx.now()`. */
  now(): Date
  /** Every message sent so far, to any customer, in order, including refused ones. */
  readonly sent: Sent[]
  /** Kills the bot's process and starts another one with the same database. */
  crash(): Promise<void>
  readonly faults: Faults
  /** Ends the scenario. You get the bot back, not started. */
  close(): Promise<void>
}

const CLOSED = { message: 'the scenario was closed before this turn ended', error: undefined }

const DEFAULT_START = '2026-03-04T09:00:00Z'

/**
 * Starts a bot against its own service in this process. The bot must not be started yet.
 *
 * ```ts
 * await using s = await scenario(bot)
 * const turn = await s.customer('255712000101').says('hours')
 * expect(turn.text).toBe('9 to 17')
 * ```
 *
 * @throws SwitchhookError `options_invalid`, and what `bot.start()` throws.
 */
export async function scenario(bot: AnyBot, o: ScenarioOptions = {}): Promise<Scenario> {
  checkTimers()
  const life = lifecycleOf(bot)
  const time = createVirtualTime(startTime(o.at ?? DEFAULT_START))
  const activity = createActivity()
  const serviceTimers = time.timers()
  const service = await createService({
    given: life.options,
    names: o.numbers,
    templates: o.templates ?? [],
    assumptions: o.assumptions ?? {},
    payloads: o.payloads,
    madeUp: o.madeUp ?? false,
    time,
    timers: serviceTimers,
    activity,
    deliver: async (incoming) => tested.process?.receive(incoming),
  })
  const failures = createFailures(() => service)
  const tested = new TestedBot({ life, time, activity, options: service.botOptions, hooks: failures.hooks })
  const closeService = () => {
    for (const { emulator } of service.numbers) emulator.close()
    serviceTimers.end()
    tested.closeDatabase()
  }

  try {
    await tested.start()
  } catch (error) {
    closeService()
    throw error
  }
  const currentProcess = () => tested.process as BotProcess
  const settler = createSettler({ time, activity, service, serviceTimers, currentProcess })
  await settler.settle()

  const close = async () => {
    settler.close()
    if (await tested.end()) closeService()
  }
  return scenarioOf({ service, tested, settler, failures, time }, close)
}

interface Parts {
  readonly service: Service
  readonly tested: TestedBot
  readonly settler: Settler
  readonly failures: ReturnType<typeof createFailures>
  readonly time: VirtualTime
}

function scenarioOf({ service, tested, settler, failures, time }: Parts, close: () => Promise<void>): Scenario {
  const outgoing = recordOutgoing(service.numbers)
  const own = createOwnIds()

  /** Runs an input, waits until nothing is left to do, and returns the messages sent meanwhile. */
  async function act(run: () => Promise<unknown>, until?: number, lastsMs?: number): Promise<readonly Outgoing[]> {
    checkTimers()
    const before = outgoing.count()
    if (tested.process) await run()
    await settler.settle(until, lastsMs)
    if (!tested.process) throw new TurnFailed([CLOSED])
    const store = tested.process.store()
    if (store) await own.learn(outgoing.since(before), store)
    failures.check()
    return outgoing.since(before)
  }

  return {
    customer: (digits, { number } = {}) => createCustomer(service.number(number).emulator, digits, act, own),
    event: async (event, payload, { number } = {}) =>
      turnOf(await act(() => service.number(number).emulator.events.fire({ event, payload })), own),
    advance: async (span) => {
      const ms = toMs(span, 'advance')
      const before = outgoing.count()
      await settler.settle()
      await act(async () => {}, time.now() + ms)
      return turnOf(outgoing.since(before), own)
    },
    async play(given) {
      const recording = await loadRecording(given)
      await service.approve(recording.templates ?? [])
      return play(recording, {
        service,
        now: time.now,
        outgoing,
        own,
        // With `until`, the next step is due at that time. Do not wait longer, for instance for a back-off.
        act: (run, until) => act(run, until, until === undefined ? undefined : 0),
        isClosed: () => tested.process === undefined,
      })
    },
    now: () => new Date(time.now()),
    get sent() {
      return turnOf(outgoing.since(0), own).sent
    },
    async crash() {
      if (!tested.process) throw new TurnFailed([CLOSED])
      await tested.crash()
    },
    faults: service.faults,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function startTime(at: string): number {
  const start = Date.parse(at)
  if (Number.isFinite(start)) return start
  throw optionsInvalid(`at: expected an ISO time such as ${DEFAULT_START}, got ${JSON.stringify(at)}`)
}
