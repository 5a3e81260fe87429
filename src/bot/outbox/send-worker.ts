import { reasonOf, SwitchhookError, isA } from '../../base/errors.ts'
import { ApiError, type AttemptAccepted, type Client, type SendAttempt } from '../../client/client.ts'
import type { Random } from '../../base/clock.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import { LaneRunner, type Lane, type LaneRunnerDeps } from '../lanes/runner.ts'
import type { SameCustomer } from '../same-customer.ts'
import type { Long } from './long.ts'
import type { TapSigner } from './tap-signature.ts'
import type { Store } from '../../store/store.ts'
import { isInForce } from '../../store/database/silence.ts'
import {
  NOT_CLOSED,
  partAfter,
  PROBE_NOW,
  type NumberThrottle,
  unwantedMarketing,
  type ThrottleChange,
} from '../../store/outbox/send-rules.ts'
import {
  type AttemptResult,
  createDoubts,
  decideSend,
  isSurelyOnce,
  type KeysRememberedFor,
  LONGEST_WAIT_MS,
  REPEAT_FOR_MS,
  settledRow,
  createThrottleChanges,
  throttleChangeOf,
} from './outcome.ts'
import { createWaiting, type AwaitedEnd, type Waiting } from './waiting.ts'
import { viaOf } from './customers.ts'
import { watch, type Watcher } from '../watcher.ts'
import type { OpenedSend } from '../../store/outbox/open.ts'
import type { DueSend, NewSend } from '../../store/outbox/rows.ts'
import type { SendSettlement } from '../../store/outbox/settle.ts'
import type { SendRow, Via } from '../../store/database/outbox-tables.ts'
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
  readonly #throttles = createThrottleChanges()
  readonly #doubts: ReturnType<typeof createDoubts>
  readonly #waiting: Waiting
  /** The runs of this process. False if the send was surely not sent yet. */
  readonly #requested = new Map<string, boolean>()
  readonly lanes: LaneRunner<DueSend>
  #outside = 0

  constructor(deps: SendDeps) {
    const { clock, report, store } = deps
    this.#deps = deps
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

  /** How many sends are under way outside all lanes. */
  outside(): number {
    return this.#outside
  }

  /**
   * Records a send, and begins it at once if nothing keeps it waiting. With `waits`, `settled` is the end of a send
   * that has begun. Undefined if the item of the fence was freed.
   */
  async open(
    send: NewSend,
    { fence, waits }: { readonly fence: Fence | undefined; readonly waits: boolean },
  ): Promise<(OpenedSend & { readonly settled?: ReturnType<Waiting['settled']> }) | undefined> {
    const { store } = this.#deps
    const room = await this.lanes.reserve(send.number)
    let opened: OpenedSend | undefined
    try {
      opened = await store.openSend(send, {
        fence,
        begin: room.begin && { ...room.begin, via: (due) => this.#viaAtOnce(due) },
      })
    } catch (error) {
      room.cancel()
      throw error
    }
    room.run(opened?.begun)
    if (!opened?.begun || !waits) return opened
    // Wait from this turn on, because the attempt may end before the caller continues.
    return { ...opened, settled: this.#waiting.settled(opened.send.id, { begins: true }) }
  }

  /** See `waiting.ts`. */
  settled(id: string): ReturnType<Waiting['settled']> {
    return this.#waiting.settled(id)
  }

  /** Makes a stop wait for a send that is under way outside all lanes. */
  track(send: Promise<unknown>): void {
    this.#outside++
    const end = () => void this.#outside--
    this.lanes.track(send.then(end, end))
  }

  /**
   * Makes one attempt at a send whose real body is only in memory, and settles it as `settlementOf` decides. Without
   * `real` it makes no request. Undefined if the send was freed. The send waits in no lane, so its caller repeats it.
   */
  async attemptFromMemory({ fence, send, real, settlementOf }: FromMemory) {
    const { clock, store } = this.#deps
    const attempt: Attempt = { fence, due: { throttle: undefined }, seenAt: this.#throttles.seenAt() }
    const inDoubt = send.state === 'attempting'
    if (!inDoubt) this.#doubts.begin(send.id)
    let row = send
    let made: MadeAttempt | undefined
    if (real) {
      const now = clock.wall()
      if (!(await store.beginSend(fence, send.id, send.via, now))) return undefined
      row = asAttempting(send, send.via, now)
      made = await this.#makeAttempt(row, inDoubt, real())
    }
    const settlement = settlementOf(made)
    const { stands, after } = await this.#settle(attempt, row, settlement, made)
    return stands ? { send: after, settlement, result: made?.result } : undefined
  }

  /** The rest of the number's pause. 0 for a stopped number, which waits for a person. */
  pausedForMs(number: string): number {
    const { clock } = this.#deps
    const { throttle } = this.#throttles.current(number, undefined, -1)
    return throttle && !throttle.stopped ? Math.max(0, throttle.closedUntil - clock.wall()) : 0
  }

  #viaAtOnce(due: DueSend): Via | undefined {
    return endWithoutAttempt(due, undefined, this.#deps) ? undefined : this.#via(due)
  }

  #via(due: DueSend): Via {
    const { clock } = this.#deps
    return viaOf(this.#deps.lease.mayBeAhead() ? { ...due, unread: true } : due, clock.service())
  }

  async #run(fence: Fence, due: DueSend, lane: Lane<DueSend>): Promise<void> {
    const attempt: Attempt = { fence, due, lane, seenAt: this.#throttles.seenAt() }
    // An attempt was begun before and never settled.
    const inDoubt = due.send.state === 'attempting' && due.attemptRecorded !== true
    if (!inDoubt) this.#doubts.begin(due.send.id)
    this.#requested.set(nameOf(fence), inDoubt)
    const row = due.attemptRecorded ? due.send : await this.#begin(fence, due, inDoubt)
    if (row === 'lost') return
    if ('as' in row) return void (await this.#settle(attempt, due.send, row))
    this.#requested.set(nameOf(fence), true)
    const made = await this.#makeAttempt(row, inDoubt)
    await this.#settle(attempt, row, made.settlement, made)
  }

  /** Returns the row of a claimed send with its attempt, or its settlement if it must not be attempted now. */
  async #begin(fence: Fence, due: DueSend, inDoubt: boolean): Promise<SendRow | SendSettlement | 'lost'> {
    const { clock, store } = this.#deps
    const endOf = (one: DueSend) =>
      endWithoutAttempt(one, inDoubt ? this.#doubts.ageOf(one.send) : undefined, this.#deps)
    const end = endOf(due)
    if (end) return end
    const as = inDoubt ? due.send.via : this.#via(due)
    const now = clock.wall()
    const row = asAttempting(due.send, as, now)
    const begun = await store.beginSend(fence, row.id, as, now, bytesOf(row))
    if (begun === 'opted_out') return endOf({ ...due, optedOut: true }) ?? 'lost'
    return begun ? row : 'lost'
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

  /** @param made undefined without an attempt. If the send was the probe, another send probes then. */
  async #settle(
    { fence, due, lane, seenAt }: Attempt,
    send: SendRow,
    settlement: SendSettlement,
    made?: Pick<MadeAttempt, 'result' | 'durationMs'>,
  ): Promise<{ readonly stands: boolean; readonly after: SendRow }> {
    const { clock, store, report } = this.#deps
    const result = made?.result
    if (settlement.as !== 'attempting') this.#doubts.end(send.id)
    const now = clock.wall()
    const current = this.#throttles.current(send.number, due.throttle, seenAt)
    const change = result ? throttleChangeOf(result, current, { now, random: this.#deps.random }) : probeLeft(due)
    if (change !== undefined) this.#throttles.add(send.number, change)
    const after = settledRow(send, settlement, now)
    if (settlement.as === 'accepted') this.#waiting.settle(send.id, asSettled(result, after))
    const settled = await store.settleSend(
      fence,
      send.id,
      withProbe(settlement, change ?? current.throttle, now),
      { now, goOn: lane?.keepsRoom() === true },
      change && { number: send.number, move: change, seen: current.throttle?.inARow ?? 0 },
      this.#deps.reportsFailures ? () => this.#waiting.isAwaited(send.id) : undefined,
    )
    lane?.settled(settled.next)
    this.#requested.delete(nameOf(fence))
    if (!settled.stands) return { stands: false, after }
    // A send that waits for the list of allowed recipients is reported once.
    const isForbidden = 'code' in settlement && settlement.code === FORBIDDEN.code
    if (!isForbidden || send.code !== FORBIDDEN.code)
      report.settled(after, settlement, made && { nth: send.attempts, via: send.via, durationMs: made.durationMs })
    if (change !== undefined && change !== 'resumed' && change.closedUntil > now) report.throttled(send.number, change)
    if (!GOES_ON.has(settlement.as)) this.#waiting.settle(send.id, asSettled(result))
    return { stands: true, after }
  }

  #claim(request: Claim): Promise<Claimed<DueSend>> {
    const { store, clock } = this.#deps
    return store.claimSends({ ...request, serviceNow: clock.service(), tells: this.#deps.reportsFailures })
  }

  #putOff({ fence, work: due }: Begun<DueSend>, at: number): Promise<unknown> {
    const { store, clock } = this.#deps
    // If no byte was sent, the send keeps its earlier state: surely not sent, or of unknown outcome.
    const as = this.#requested.get(nameOf(fence)) === false ? 'ready' : 'attempting'
    const later = { as, at, code: undefined, reason: 'not_settled' } as const
    return store.settleSend(fence, due.send.id, later, { now: clock.wall(), goOn: false })
  }

  async #free(runs: readonly Fence[], now: number): Promise<void> {
    const { store } = this.#deps
    // A commit in doubt began a run that is unknown here. It is surely unsent only if it is the send's first run.
    const unsent = runs.filter((fence) => !(this.#requested.get(nameOf(fence)) ?? fence.run > 1))
    await store.freeRuns('sends', runs, now, unsent)
    for (const fence of runs) this.#requested.delete(nameOf(fence))
  }
}

/** The body of a send if it must not be in its row, and its time-out in ms. */
export interface RealBody {
  readonly body: string
  readonly timeout: number
}

/** Makes one request for a send. */
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

/** Nothing was sent: the number has no token, or its source does not answer. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['no_access_token', 'number_unavailable'])

/** Repeats the request if the service refuses the token, and the number has a new one. */
async function requestWithToken(
  number: string,
  attempt: SendAttempt & { readonly timeout?: number },
  deps: SendDeps,
): Promise<AttemptAccepted> {
  const beganAt = deps.clock.monotonic()
  const client = await clientOf(number, deps)
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
export async function clientOf(number: string, deps: Pick<SendDeps, 'client'>): Promise<Client> {
  const client = await deps.client(number)
  if (client) return client
  throw new SwitchhookError(
    'no_access_token',
    `number "${number}" has no access token, so nothing can be sent: set SWITCHHOOK_ACCESS_TOKEN or the option accessToken`,
  )
}

export interface FromMemory {
  readonly fence: Fence
  readonly send: SendRow
  readonly real: (() => RealBody) | undefined
  settlementOf(made: MadeAttempt | undefined): SendSettlement
}

export interface MadeAttempt {
  readonly result: AttemptResult
  readonly durationMs: number
  readonly settlement: SendSettlement
}

function nameOf({ of, run }: Fence): string {
  return `${of}/${run}`
}

interface Attempt {
  readonly fence: Fence
  readonly due: Pick<DueSend, 'throttle'>
  /** Undefined for a send that waits in no lane. */
  readonly lane?: Lane<DueSend>
  readonly seenAt: number
}

/** @param doubtMs the age of the doubt; undefined for a send that is not in doubt. */
function endWithoutAttempt(due: DueSend, doubtMs: number | undefined, deps: SendDeps): SendSettlement | undefined {
  const { send, silence } = due
  const inDoubt = doubtMs !== undefined
  const now = deps.clock.wall()
  const serviceNow = deps.clock.service()
  if (inDoubt && (deps.onUnknown === 'hold' || doubtMs >= REPEAT_FOR_MS))
    return { ...GIVEN_UP, surelyOnce: isSurelyOnce(send, { ...deps, now }) }
  const part = !inDoubt && send.part !== undefined && send.part.nth > 1 ? partAfter(due.before) : undefined
  if (part) return part
  const isLate = send.expiresAt !== undefined && serviceNow >= send.expiresAt && !deps.lease.mayBeAhead()
  if (!inDoubt && isLate) return TOO_LATE
  const unwanted = send.isMarketing && !inDoubt ? unwantedMarketing(due, serviceNow) : undefined
  if (unwanted) return { as: 'skipped', ...unwanted }
  // The silence began while this reply waited. The handler that began it may have replied before (GEN-07).
  if (!inDoubt && isInForce(silence, serviceNow) && silence.cause !== send.cause)
    return { as: 'skipped', ...silence.why }
  // A send to a customer who is not in the list waits. It was recorded with another list, perhaps before the database
  // was copied.
  if (deps.allowedRecipients?.has(send.customer) === false)
    return { as: inDoubt ? 'attempting' : 'ready', at: now + LONGEST_WAIT_MS, ...FORBIDDEN }
  return undefined
}

const GIVEN_UP = {
  as: 'unknown',
  code: undefined,
  reason: 'an attempt was begun and its outcome is not known; it is not repeated any more, since it may have arrived',
} as const

const TOO_LATE: SendSettlement = {
  as: 'skipped',
  code: 'stale',
  reason: 'it would have come too late to be of use, so it was not sent',
}

const FORBIDDEN = {
  code: 'recipient_not_allowed',
  reason:
    'this recipient is not in the list of allowed recipients, so it waits: add it to allowedRecipients or SWITCHHOOK_ALLOWED_RECIPIENTS',
} as const

function asAttempting(send: SendRow, via: SendRow['via'], now: number): SendRow {
  const since = send.state === 'attempting' ? send.attemptingSince : undefined
  return {
    ...send,
    via,
    state: 'attempting',
    attempts: send.attempts + 1,
    firstAttemptAt: send.firstAttemptAt ?? now,
    attemptingSince: since ?? now,
  }
}

/** A send in doubt that meets a closed throttle becomes its probe. */
function withProbe(settlement: SendSettlement, throttle: ThrottleChange | undefined, now: number): SendSettlement {
  if (settlement.as !== 'attempting' || throttle === undefined || throttle === 'resumed') return settlement
  return throttle.closedUntil > now ? { ...settlement, at: throttle.closedUntil } : settlement
}

function probeLeft({ throttle }: Pick<DueSend, 'throttle'>): ThrottleChange | undefined {
  return throttle && throttle.closedUntil > NOT_CLOSED ? { ...throttle, closedUntil: PROBE_NOW } : undefined
}

const GOES_ON: ReadonlySet<SendSettlement['as']> = new Set(['ready', 'attempting', 'fall_back'])

function asSettled(result: AttemptResult | undefined, accepted?: SendRow): AwaitedEnd {
  return {
    ...(accepted && { accepted }),
    replayed: result !== undefined && 'message' in result && result.replayed,
    error: result !== undefined && 'error' in result ? result.error : undefined,
  }
}

export interface SendDeps extends Omit<LaneRunnerDeps<never>, 'work' | 'lanes' | 'lost' | 'lease'> {
  readonly store: Store
  readonly lease: ProcessLease
  readonly random: Random
  readonly onUnknown: 'repeat' | 'hold'
  readonly keysRememberedFor: KeysRememberedFor
  readonly tapSigner: TapSigner
  /** True with an emulator. Then a reply that changed between two runs is an error. */
  readonly strict: boolean
  readonly long: Long
  readonly templateParameters: 'refuse' | 'send'
  /** The allowed recipients, in digits; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
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
  /** `send`: its row then. `attempt`: undefined if the send ended without one. */
  settled(send: SendRow, settlement: SendSettlement, attempt: ReportedAttempt | undefined): void
  /** A rerun, or a second send under the same key, produced another text. */
  diverged(send: SendRow, slot: string): void
  /** An attempt threw an error that is none of the client's. */
  unexpectedError(send: SendRow, error: unknown): void
  /** The number sends nothing until its pause ends, or until a person fixes the cause. */
  throttled(number: string, throttle: NumberThrottle): void
  /** The service would refuse the template of this send, by its own list. */
  templateUnsendable(send: NewSend, problem: string): void
  /** So many sends were marked as running and did not run. They begin again. */
  lost(count: number): void
}
