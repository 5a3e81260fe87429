import { reasonOf, SwitchhookError, isA } from '../../base/errors.ts'
import { ApiError, type AttemptAccepted, type Client, type SendAttempt } from '../../client/client.ts'
import type { Random } from '../../base/clock.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import { LaneRunner, type Lane, type LaneRunnerDeps } from '../lanes/runner.ts'
import type { SameCustomer } from '../same-customer.ts'
import type { Long } from './send-options.ts'
import type { TapSigner } from './tap-signature.ts'
import type { Store } from '../../store/store.ts'
import { WINDOW_MS } from '../../service/endpoints.ts'
import {
  type DueSend,
  endBeforeAttempt,
  FORBIDDEN,
  type SendingRules,
  type SendSettlement,
  viaOf,
  attemptedRow,
  settledRow,
} from '../../store/outbox/send-attempts.ts'
import { NOT_CLOSED, PROBE_NOW, type NumberThrottle, type ThrottleChange } from '../../store/outbox/send-rules.ts'
import { type AttemptResult, createDoubts, decideSend, createThrottleChanges, throttleChangeOf } from './outcome.ts'
import { createWaiting, type SendEnd, type Waiting } from './waiting.ts'
import { watch, type Watcher } from '../watcher.ts'
import type { OpenedSend } from '../../store/outbox/open.ts'
import type { NewSend } from '../../store/outbox/rows.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { Claim, Claimed, Fence, Begun } from '../../store/work/lanes.ts'

const SENDS_AT_ONCE = 64

/**
 * Sends the messages of the outbox, in order for each customer. Each attempt is committed before a byte leaves.
 *
 * A caller gets an acceptance before it is committed. If the process dies in between, the outcome of the send is
 * unknown, as if the answer was lost. Then the same bytes go out again under the same key.
 */
export class SendWorker {
  readonly #deps: SendDeps
  readonly #rules: SendingRules
  readonly #throttles = createThrottleChanges()
  readonly #doubts: ReturnType<typeof createDoubts>
  readonly #waiting: Waiting
  /** By run (`nameOf`) of this process: false if the send was certainly not sent yet. */
  readonly #mayHaveArrived = new Map<string, boolean>()
  readonly lanes: LaneRunner<DueSend>
  #outside = 0

  constructor(deps: SendDeps) {
    const { clock, report, store } = deps
    this.#deps = deps
    this.#rules = { ...deps, windowMs: WINDOW_MS }
    this.#doubts = createDoubts(clock)
    this.#waiting = createWaiting(deps)
    this.lanes = new LaneRunner<DueSend>({
      ...deps,
      lanes: SENDS_AT_ONCE,
      lost: report.lost,
      work: {
        claim: (request) => this.#claim(request),
        run: (fence, due, lane) => this.#run(fence, due, lane),
        putOff: (o, at) => this.#putOff(o, at),
        marked: (processName) => store.runsOf('sends', processName),
        free: (runs, now) => this.#free(runs, now),
      },
    })
  }

  /** Records a send, and begins it at once if nothing keeps it waiting. Undefined if the fence or a condition no longer holds. */
  async open(
    send: NewSend,
    { fence, isAwaited }: { readonly fence: Fence | undefined; readonly isAwaited: boolean },
  ): Promise<RecordedSend | undefined> {
    const { store } = this.#deps
    const room = await this.lanes.reserve(send.number)
    let opened: OpenedSend | undefined
    try {
      const begin = room.begin && { ...room.begin, rules: this.#rules }
      opened = await store.openSend(send, { fence, begin })
    } catch (error) {
      room.cancel()
      throw error
    }
    room.run(opened?.begun)
    if (!opened?.begun || !isAwaited) return opened
    // Wait for the end from this turn on, because the attempt may end before the caller continues.
    return { ...opened, end: this.#waiting.endOf(opened.send, { begins: true }) }
  }

  /** Waits for the end of a send, at most 30 s. */
  endOf(send: SendRow): Promise<SendEnd> {
    return this.#waiting.endOf(send)
  }

  #claim(request: Claim): Promise<Claimed<DueSend>> {
    const { store, clock } = this.#deps
    return store.claimSends({ ...request, serviceNow: clock.service(), tells: this.#deps.reportsFailures })
  }

  // ── one attempt ───────────────────────────────────────────────────────────────────────────────────

  async #run(fence: Fence, due: DueSend, lane: Lane<DueSend>): Promise<void> {
    const settling: Settling = { fence, due, lane, seenAt: this.#throttles.seenAt() }
    // True if an earlier attempt began and was never settled.
    const inDoubt = due.send.state === 'attempting' && due.attemptRecorded !== true
    if (!inDoubt) this.#doubts.begin(due.send.id)
    this.#mayHaveArrived.set(nameOf(fence), inDoubt)
    const row = due.attemptRecorded ? due.send : await this.#begin(fence, due, inDoubt)
    if (!row) return
    if ('as' in row) return void (await this.#settle(settling, due.send, row))
    this.#mayHaveArrived.set(nameOf(fence), true)
    const made = await this.#makeAttempt(row, inDoubt)
    await this.#settle(settling, row, made.settlement, made)
  }

  /**
   * Returns the row of a claimed send with its attempt, or its settlement if it must not be attempted now. Undefined if
   * the fence no longer holds.
   */
  async #begin(fence: Fence, due: DueSend, inDoubt: boolean): Promise<SendRow | SendSettlement | undefined> {
    const { clock, store } = this.#deps
    const endOf = (one: DueSend) =>
      endBeforeAttempt(one, inDoubt ? this.#doubts.ageOf(one.send) : undefined, this.#rules)
    const end = endOf(due)
    if (end) return end
    const as = inDoubt ? due.send.via : viaOf(due, this.#rules)
    const now = clock.wall()
    const row = attemptedRow(due.send, as, now)
    const begun = await store.beginSend(fence, row.id, as, now, bytesOf(row))
    if (begun === 'opted_out') return endOf({ ...due, optedOut: true })
    return begun ? row : undefined
  }

  async #makeAttempt(row: SendRow, inDoubt: boolean, real?: RealBody): Promise<MadeAttempt> {
    const { clock, random, onUnknown, keysRememberedFor } = this.#deps
    const beganAt = clock.monotonic()
    const result = await watch(this.#deps.watcher, ['send', row], () => request(row, this.#deps, real))
    const durationMs = clock.monotonic() - beganAt
    const times = { now: clock.wall(), serviceNow: clock.service(), doubtMs: this.#doubts.ageOf(row) }
    const settlement = decideSend(row, inDoubt, result, { random, onUnknown, keysRememberedFor, ...times })
    return { result, durationMs, settlement }
  }

  /** @param made undefined without an attempt. Then, if this send was the probe, another send becomes the probe. */
  async #settle(
    { fence, due, lane, seenAt }: Settling,
    send: SendRow,
    settlement: SendSettlement,
    made?: MadeAttempt,
  ): Promise<{ readonly stands: boolean; readonly after: SendRow }> {
    const { clock, store, report } = this.#deps
    const result = made?.result
    if (settlement.as !== 'attempting') this.#doubts.end(send.id)
    const now = clock.wall()
    const current = this.#throttles.current(send.number, due?.throttle, seenAt)
    const change = result
      ? throttleChangeOf(result, current, { now, random: this.#deps.random })
      : probeLeft(due?.throttle)
    if (change !== undefined) this.#throttles.add(send.number, change)
    const after = settledRow(send, settlement, now)
    if (settlement.as === 'accepted') this.#waiting.ended(after, result)
    const settled = await store.settleSend(
      fence,
      send.id,
      withProbe(settlement, change ?? current.throttle, now),
      { now, goOn: lane?.keepsRoom() === true },
      change && { number: send.number, move: change, seen: current.throttle?.inARow ?? 0 },
      this.#deps.reportsFailures ? () => this.#waiting.isAwaited(send.id) : undefined,
    )
    lane?.settled(settled.next)
    this.#mayHaveArrived.delete(nameOf(fence))
    if (!settled.stands) return { stands: false, after }
    // A send whose recipient is not allowed is tried again and again. Report it only the first time.
    const isForbidden = 'code' in settlement && settlement.code === FORBIDDEN.code
    if (!isForbidden || send.code !== FORBIDDEN.code)
      report.settled(after, settlement, made && { nth: send.attempts, via: send.via, durationMs: made.durationMs })
    if (change !== undefined && change !== 'resumed' && change.closedUntil > now) report.throttled(send.number, change)
    if (!GOES_ON.has(settlement.as)) this.#waiting.ended(after, result)
    return { stands: true, after }
  }

  #putOff({ fence, work: due }: Begun<DueSend>, at: number): Promise<unknown> {
    const { store, clock } = this.#deps
    // `ready` if the send was certainly not sent, `attempting` if its outcome is unknown.
    const as = this.#mayHaveArrived.get(nameOf(fence)) === false ? 'ready' : 'attempting'
    const later = { as, at, code: undefined, reason: 'not_settled' } as const
    return store.settleSend(fence, due.send.id, later, { now: clock.wall(), goOn: false })
  }

  async #free(runs: readonly Fence[], now: number): Promise<void> {
    const { store } = this.#deps
    // A run without an entry began in a commit whose answer was lost, so it has sent nothing. An earlier run of its
    // send may have sent something, unless this run is the first.
    const unsent = runs.filter((fence) => !(this.#mayHaveArrived.get(nameOf(fence)) ?? fence.run > 1))
    await store.freeRuns('sends', runs, now, unsent)
    for (const fence of runs) this.#mayHaveArrived.delete(nameOf(fence))
  }

  // ── sends outside all lanes ───────────────────────────────────────────────────────────────────────

  /** How many withheld sends are under way. They have no lane. */
  outside(): number {
    return this.#outside
  }

  /** Makes a stop wait for a withheld send, which has no lane. */
  track(send: Promise<unknown>): void {
    this.#outside++
    const end = () => void this.#outside--
    this.lanes.track(send.then(end, end))
  }

  /**
   * Makes one attempt at a withheld send. Such a send has no lane, so the caller settles and repeats it. `real` is
   * called when the attempt is recorded. Returns undefined if the fence no longer holds.
   */
  async attemptFromMemory(fence: Fence, send: SendRow, real: () => RealBody): Promise<MadeFromMemory | undefined> {
    const { clock, store } = this.#deps
    const seenAt = this.#throttles.seenAt()
    const inDoubt = send.state === 'attempting'
    if (!inDoubt) this.#doubts.begin(send.id)
    const now = clock.wall()
    if (!(await store.beginSend(fence, send.id, send.via, now))) return undefined
    const row = attemptedRow(send, send.via, now)
    return { row, seenAt, ...(await this.#makeAttempt(row, inDoubt, real())) }
  }

  /** Settles a withheld send after its attempt, or without one. Undefined if the fence no longer holds. */
  async settleFromMemory(
    fence: Fence,
    send: SendRow,
    settlement: SendSettlement,
    made: MadeFromMemory | undefined,
  ): Promise<SendRow | undefined> {
    const { row = send, seenAt = this.#throttles.seenAt() } = made ?? {}
    const { stands, after } = await this.#settle({ fence, seenAt }, row, settlement, made)
    return stands ? after : undefined
  }

  /** The rest of the number's pause. 0 for a stopped number, which waits for a person. */
  pausedForMs(number: string): number {
    const { clock } = this.#deps
    const { throttle } = this.#throttles.current(number, undefined, -1)
    return throttle && !throttle.stopped ? Math.max(0, throttle.closedUntil - clock.wall()) : 0
  }
}

export interface RecordedSend extends OpenedSend {
  /** Set if the caller waits and the send has begun. */
  readonly end?: Promise<SendEnd>
}

/** The real body of a withheld send, and the time-out of its attempt in ms. */
export interface RealBody {
  readonly body: string
  readonly timeout: number
}

async function request(send: SendRow, deps: SendDeps, real: RealBody | undefined): Promise<AttemptResult> {
  const fallback = send.via === 'template' ? send.fallback : undefined
  const attempt = { body: bytesOf(send), idempotencyKey: fallback?.key ?? send.key, ...real }
  try {
    return await requestWithToken(send.number, attempt, deps)
  } catch (error) {
    if (isA(error, ApiError)) return { error }
    if (isA(error, SwitchhookError) && WITHOUT_TOKEN.has(error.code)) return { withoutToken: error.message }
    deps.report.unexpectedError(send, error)
    return { unknown: reasonOf(error) }
  }
}

/** Nothing was sent: the number has no token, or its token cannot be looked up now. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['no_access_token', 'number_unavailable'])

/** Repeats the request if the service refuses the token, and the number has a new one. */
async function requestWithToken(
  number: string,
  attempt: SendAttempt & { readonly timeout?: number },
  deps: SendDeps,
): Promise<AttemptAccepted> {
  const beganAt = deps.clock.monotonic()
  const client = await clientWithToken(number, deps)
  try {
    return await client.attempt(attempt)
  } catch (error) {
    const other =
      isA(error, ApiError) && error.status === 401
        ? await deps.clientAfterRefusal?.(number, client, beganAt)
        : undefined
    if (!other) throw error
    const left = attempt.timeout && Math.max(1, attempt.timeout - (deps.clock.monotonic() - beganAt))
    return await other.attempt({ ...attempt, ...(left && { timeout: left }) })
  }
}

function bytesOf(send: SendRow): string {
  return (send.via === 'template' && send.fallback?.body) || send.body
}

/** @throws SwitchhookError `no_access_token`, `number_unavailable` */
export async function clientWithToken(number: string, deps: Pick<SendDeps, 'client'>): Promise<Client> {
  const client = await deps.client(number)
  if (client) return client
  throw new SwitchhookError(
    'no_access_token',
    `number "${number}" has no access token, so nothing can be sent: set SWITCHHOOK_ACCESS_TOKEN or the option accessToken`,
  )
}

export interface MadeAttempt {
  readonly result: AttemptResult
  readonly durationMs: number
  readonly settlement: SendSettlement
}

interface MadeFromMemory extends MadeAttempt, Pick<Settling, 'seenAt'> {
  readonly row: SendRow
}

interface Settling {
  readonly fence: Fence
  /** Both members are undefined for a withheld send, which has no lane. */
  readonly due?: DueSend
  readonly lane?: Lane<DueSend>
  /** How many changes of throttles this process knew when the run began. */
  readonly seenAt: number
}

function nameOf({ of, run }: Fence): string {
  return `${of}/${run}`
}

/** If the throttle is closed, a send of unknown outcome is repeated when a probe is due. */
function withProbe(settlement: SendSettlement, throttle: ThrottleChange | undefined, now: number): SendSettlement {
  if (settlement.as !== 'attempting' || throttle === undefined || throttle === 'resumed') return settlement
  return throttle.closedUntil > now ? { ...settlement, at: throttle.closedUntil } : settlement
}

function probeLeft(throttle: NumberThrottle | undefined): ThrottleChange | undefined {
  return throttle && throttle.closedUntil > NOT_CLOSED ? { ...throttle, closedUntil: PROBE_NOW } : undefined
}

const GOES_ON: ReadonlySet<SendSettlement['as']> = new Set(['ready', 'attempting', 'fall_back'])

export interface SendDeps
  extends Omit<LaneRunnerDeps<never>, 'work' | 'lanes' | 'lost' | 'lease'>,
    Omit<SendingRules, 'clock' | 'lease' | 'windowMs'> {
  readonly store: Store
  readonly lease: ProcessLease
  readonly random: Random
  readonly tapSigner: TapSigner
  /** True with an emulator. Then a reply that changed between two runs is an error. */
  readonly strict: boolean
  readonly long: Long
  readonly templateParameters: 'refuse' | 'send'
  readonly sameCustomer: SameCustomer
  /** True if an opt-out on one number counts on all, because they belong to one business. */
  readonly oneBusiness: boolean
  /** True if a handler is registered for failed sends whose caller no longer waits. */
  readonly reportsFailures: boolean
  readonly report: SendReport
  readonly watcher?: Watcher | undefined
  /** Undefined if the app set no token for the number. @throws SwitchhookError `no_access_token`, `number_unavailable` */
  client(number: string): MaybeAsync<Client | undefined>
  /**
   * Call this if the service refused the token of an attempt. Looks up the number again, and returns its client if the
   * token has changed. `since`: monotonic time at which the attempt began.
   */
  readonly clientAfterRefusal?:
    | ((number: string, refused: Client, since: number) => Promise<Client | undefined>)
    | undefined
}

export interface ReportedAttempt {
  /** From 1. The attempts of a fallback count from 1 again. */
  readonly nth: number
  readonly via: SendRow['via']
  /** Milliseconds until the answer, or until the attempt ended without one. */
  readonly durationMs: number
}

export interface SendReport {
  /** `send`: the row after the settlement. `attempt`: undefined if the send ended without one. */
  settled(send: SendRow, settlement: SendSettlement, attempt: ReportedAttempt | undefined): void
  /** A rerun, or a second send under the same key, produced another text. */
  diverged(send: SendRow, slot: string): void
  /** An attempt threw an error that does not come from the API client. */
  unexpectedError(send: SendRow, error: unknown): void
  /** The number sends nothing until its pause ends, or until a person fixes the cause. */
  throttled(number: string, throttle: NumberThrottle): void
  /** By the service's list of templates, it would refuse the template of this send. */
  templateUnsendable(send: NewSend, problem: string): void
  /** So many sends were marked as running and did not run. They begin again. */
  lost(count: number): void
}
