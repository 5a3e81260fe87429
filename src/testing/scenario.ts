import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { lifeOf } from '../life.ts'
import type { AnyBot } from '../receive/mount.ts'
import { createActivity } from './activity.ts'
import { begin, type BotLife } from './bot-life.ts'
import { createCustomer, type Customer } from './customer.ts'
import { createFailures, TurnFailed } from './failures.ts'
import { createMemoryDatabase } from './memory.ts'
import { createService, type Faults, type ScenarioTemplate } from './service.ts'
import { createSettling } from './settling.ts'
import { createVirtualTime } from './time.ts'

export interface ScenarioOptions {
  /** What the service has approved, on each number. Default: none. */
  readonly templates?: readonly ScenarioTemplate[]
  /** When it begins, as an ISO time. Default `2026-03-04T09:00:00Z`, a Wednesday, so that every run is the same. */
  readonly at?: string
}

/** A bot with a service, a database and a clock of its own: nothing leaves the process, and nobody waits. */
export interface Scenario extends AsyncDisposable {
  /**
   * A customer by the digits of a phone number, who writes to the bot's first number, or to `number`.
   *
   * @throws SwitchhookError `options_invalid`
   */
  customer(digits: string, o?: { number?: string }): Customer
  /** An event by its name with this very payload, to the first number or to `number`. A turn. */
  event(name: string, payload: object, o?: { number?: string }): Promise<void>
  /**
   * Lets time pass, such as `'25h'`: what falls due on the way happens at its time and in its order. A turn, also for
   * what the app did outside any.
   */
  advance(span: Duration): Promise<void>
  /** The time of the service and of `ctx.now()`. */
  now(): Date
  /** The bot's process dies without a word, and another one starts over the same database. */
  crash(): Promise<void>
  readonly faults: Faults
  /** Gives the bot back, unstarted. */
  close(): Promise<void>
}

const CLOSED = { message: 'the scenario was closed before this turn was over', error: undefined }

const USUAL_START = '2026-03-04T09:00:00Z'

/**
 * Takes over a bot that is not started, and starts it against a service of its own.
 *
 * ```ts
 * await using s = await scenario(bot)
 * const turn = await s.customer('255712000101').says('hours')
 * expect(turn.text).toBe('9 to 17')
 * ```
 *
 * @throws SwitchhookError `options_invalid`, and what `bot.start()` throws.
 */
export function scenario(bot: AnyBot, o: ScenarioOptions = {}): Promise<Scenario> {
  return openScenario(bot, o, PATIENCE_MS)
}

/** Real time that a handler may be in code of its own: less than what a test usually has. */
const PATIENCE_MS = 4_000

/** `scenario` with what our own tests turn. */
export async function openScenario(bot: AnyBot, o: ScenarioOptions, patienceMs: number): Promise<Scenario> {
  const life = lifeOf(bot)
  const time = createVirtualTime(startOf(o.at ?? USUAL_START))
  const activity = createActivity()
  const serviceTimers = time.timers()
  let current: BotLife | undefined
  const service = await createService({
    given: life.options,
    templates: o.templates ?? [],
    time,
    timers: serviceTimers,
    activity,
    deliver: async (incoming) => current?.receive(incoming),
  })
  const failures = createFailures(() => service)
  const database = createMemoryDatabase()
  const start = () => begin({ life, database, service, time, activity, hooks: failures.hooks })

  function release(): void {
    for (const { emulator } of service.lines) emulator.close()
    serviceTimers.end()
    database.close()
  }

  try {
    current = await start()
  } catch (error) {
    release()
    throw error
  }
  const settling = createSettling({
    time,
    activity,
    service,
    serviceTimers,
    patienceMs,
    life: () => current as BotLife,
  })
  await settling.settled()

  /** Does something and brings all to rest. */
  async function act(run: () => Promise<unknown>, until?: number): Promise<void> {
    if (current) await run()
    await settling.settled(until)
    if (!current) throw new TurnFailed([CLOSED])
    failures.check()
  }

  async function close(): Promise<void> {
    settling.close()
    current?.end()
    if (current) release()
    current = undefined
  }

  return {
    customer: (digits, { number } = {}) => createCustomer(service.line(number).emulator, digits, act),
    event: (event, payload, { number } = {}) =>
      act(() => service.line(number).emulator.events.fire({ event, payload })),
    advance: async (span) => {
      const ms = toMs(span, 'advance')
      await settling.settled()
      await act(async () => {}, time.now() + ms)
    },
    now: () => new Date(time.now()),
    async crash() {
      if (!current) throw new TurnFailed([CLOSED])
      current.end()
      // Counted, so that nothing is thought to be at rest meanwhile.
      const next = await activity.during(start())
      if (current) current = next
      else next.end()
    },
    faults: service.faults,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function startOf(at: string): number {
  const start = Date.parse(at)
  if (Number.isFinite(start)) return start
  throw new SwitchhookError(
    'options_invalid',
    `at: expected an ISO time such as ${USUAL_START}, got ${JSON.stringify(at)}`,
  )
}
