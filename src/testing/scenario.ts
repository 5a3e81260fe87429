import { toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Assumptions } from '../emulator/model/assumptions.ts'
import { lifecycleOf } from '../app/lifecycle.ts'
import type { AnyBot } from '../receive/bot-internals.ts'
import { createActivity } from './activity.ts'
import { begin, type BotLife } from './bot-life.ts'
import { createCustomer } from './customer.ts'
import { createFailures, TurnFailed } from './failures.ts'
import { guardAgainstFlood } from './flood.ts'
import { createMemoryDatabase } from './memory.ts'
import type { ScenarioTemplate } from './play/file.ts'
import { play } from './play/play.ts'
import { readPlayFile } from './play/read.ts'
import { recordSendings, type Sending } from './sendings.ts'
import { createService, type Faults } from './service.ts'
import { createSettling } from './settling.ts'
import type { Stage } from './stage.ts'
import { checkTimers, createVirtualTime } from './time.ts'
import { turnOf } from './turn.ts'

export interface ScenarioOptions {
  /** What the service has approved, on each number. Default: none. */
  readonly templates?: readonly ScenarioTemplate[]
  /** When it begins, as an ISO time. Default `2026-03-04T09:00:00Z`, a Wednesday, so that every run is the same. */
  readonly at?: string
  /** What the specification leaves open, read otherwise than usual, by the emulator's switches. Default: as it usually is. */
  readonly assumptions?: Partial<Assumptions>
}

/** A bot with a service, a database and a clock of its own: nothing leaves the process, and nobody waits. */
export interface Scenario extends Stage, AsyncDisposable {
  /**
   * Plays a recorded conversation, parsed from its JSON: each step is a turn, and brings what the step expects. Templates
   * of the file that the scenario does not have are added.
   *
   * @throws SwitchhookError `options_invalid` where it is none. @throws PlayFailed where a step falls.
   */
  play(file: object): Promise<void>
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
  checkTimers()
  const life = lifecycleOf(bot)
  const time = createVirtualTime(startOf(o.at ?? USUAL_START))
  const activity = createActivity()
  const serviceTimers = time.timers()
  let current: BotLife | undefined
  const service = await createService({
    given: life.options,
    templates: o.templates ?? [],
    assumptions: o.assumptions ?? {},
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
    flood: guardAgainstFlood(service.lines, time),
    life: () => current as BotLife,
  })
  await settling.settled()

  const sendings = recordSendings(service.lines)

  /** Does something, brings all to rest, and says what went out. */
  async function act(run: () => Promise<unknown>, until?: number): Promise<readonly Sending[]> {
    checkTimers()
    const before = sendings.count()
    if (current) await run()
    await settling.settled(until)
    if (!current) throw new TurnFailed([CLOSED])
    failures.check()
    return sendings.since(before)
  }

  /** While the next process starts, it cannot be ended: its start would go on as that of a bot outside any scenario. */
  let crashing: Promise<void> | undefined

  async function dieAndStart(): Promise<void> {
    if (!current) throw new TurnFailed([CLOSED])
    current.end()
    // Counted, so that nothing is thought to be at rest meanwhile.
    current = await activity.during(start())
  }

  async function close(): Promise<void> {
    settling.close()
    await crashing?.catch(() => {})
    current?.end()
    if (current) release()
    current = undefined
  }

  const stage: Stage = {
    customer: (digits, { number } = {}) => createCustomer(service.line(number).emulator, digits, act),
    event: async (event, payload, { number } = {}) =>
      turnOf(await act(() => service.line(number).emulator.events.fire({ event, payload }))),
    advance: async (span) => {
      const ms = toMs(span, 'advance')
      const before = sendings.count()
      await settling.settled()
      await act(async () => {}, time.now() + ms)
      return turnOf(sendings.since(before))
    },
  }

  return {
    ...stage,
    async play(given) {
      const file = readPlayFile(given)
      await service.approve(file.templates ?? [])
      await play(stage, file)
    },
    now: () => new Date(time.now()),
    crash() {
      crashing ??= dieAndStart().finally(() => (crashing = undefined))
      return crashing
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
