import { reasonOf, SwitchhookError } from '../base/errors.ts'
import { ApiError } from '../client/index.ts'
import type { LaneWork } from '../lanes/runner.ts'
import type { DueSend, Fence, ThrottleChange, SendRow, SendSettlement } from '../stores/port/index.ts'
import { type AttemptResult, LONGEST_WAIT_MS, REPEAT_FOR_MS, decideSend } from './outcome.ts'
import { createThrottleChanges } from './throttle-changes.ts'
import { throttleChangeOf } from './throttle.ts'
import type { SendDeps, Settled } from './types.ts'
import { viaOf } from './window.ts'

/** One turn of a lane of sends: decide, commit, send, settle. */
export function createSendTurns(room: SendDeps, tell: (settled: Settled) => void): LaneWork<DueSend> {
  const moves = createThrottleChanges()

  async function run(fence: Fence, due: DueSend, goOn: () => boolean): Promise<DueSend | undefined> {
    // Somebody began an attempt and did not settle it: its outcome is unknown.
    const doubtful = due.send.state === 'attempting'
    const turn = { fence, due, goOn: goOn(), mark: moves.mark() }
    if (doubtful && mayNotRepeat(due.send)) return settle(turn, due.send, GIVEN_UP)
    if (!doubtful && isTooLate(due.send)) return settle(turn, due.send, TOO_LATE)
    if (!doubtful && isUnwanted(due)) return settle(turn, due.send, UNWANTED)
    if (isForbidden(due.send)) return settle(turn, due.send, forbidden(doubtful, room.clock.wall()))

    const via = doubtful ? due.send.via : viaOf(due, room.clock.service())
    const now = room.clock.wall()
    const begun = asBegun(due.send, via, now)
    const begins = await room.store.beginSend(fence, begun.id, via, now, bytesOf(begun))
    if (begins === 'lost') return undefined
    if (begins === 'gone') return settle(turn, due.send, { as: 'gone' })
    const result = await attemptAt(begun, room)
    const rules = { now: room.clock.wall(), serviceNow: room.clock.service(), ...room }
    return settle({ ...turn, goOn: goOn() }, begun, decideSend(begun, doubtful, result, rules), result)
  }

  /** Without a result no attempt was made: whatever probe this was is another's to make. */
  async function settle(
    { fence, due, goOn, mark }: { fence: Fence; due: DueSend; goOn: boolean; mark: number },
    send: SendRow,
    settlement: SendSettlement,
    result?: AttemptResult,
  ): Promise<DueSend | undefined> {
    const now = room.clock.wall()
    const met = moves.met(send.number, due.throttle, mark)
    const move = result ? throttleChangeOf(result, met, { now, random: room.random }) : unprobed(due)
    if (move !== undefined) moves.moved(send.number, move)
    const queue = move && { number: send.number, move }
    const later = withProbe(settlement, move ?? met.throttle, now)
    const settled = await room.store.settleSend(fence, send.id, later, { now, goOn }, queue)
    if (!settled.held) return undefined
    if (!isTold(send, settlement)) room.report.settled(send, settlement)
    if (move !== undefined && move !== 'resumed' && move.closedUntil > now) room.report.throttled(send.number, move)
    if (!goesOn(settlement)) tell({ id: send.id, as: settlement.as, ...toldOf(result) })
    return settled.next
  }

  function mayNotRepeat(send: SendRow): boolean {
    return room.onUnknown === 'hold' || room.clock.wall() - (send.attemptingSince ?? 0) >= REPEAT_FOR_MS
  }

  function isTooLate({ expiresAt }: SendRow): boolean {
    return expiresAt !== undefined && room.clock.service() >= expiresAt
  }

  /** The customer asked for the service's agent while this reply waited, and it would pause that again (GEN-07). */
  function isUnwanted({ mute }: DueSend): boolean {
    return mute?.why === 'agent' && room.clock.service() < mute.until
  }

  /** Recorded before the list was what it is: by another configuration, or in the database that this is a copy of. */
  function isForbidden({ customer }: SendRow): boolean {
    return room.allowedRecipients?.has(customer) === false
  }

  return {
    claim: (claim) => room.store.claimSends({ ...claim, serviceNow: room.clock.service() }),
    run,
  }
}

/** Where the number's queue is closed, a doubtful send asks again when that asks: so no other needs to. */
function withProbe(settlement: SendSettlement, queue: ThrottleChange | undefined, now: number): SendSettlement {
  if (settlement.as !== 'attempting' || queue === undefined || queue === 'resumed') return settlement
  return queue.closedUntil > now ? { ...settlement, at: queue.closedUntil } : settlement
}

/** What goes out of a send: its own body, or that of the fallback which has taken over. */
function bytesOf(send: SendRow): string {
  return (send.via === 'template' && send.fallback?.body) || send.body
}

/** One attempt at a send, by the body that its row has, or by the real one of a withheld code, which has its own time. */
export async function attemptAt(
  send: SendRow,
  room: SendDeps,
  code?: { readonly body: string; readonly timeout: number },
): Promise<AttemptResult> {
  const fallback = send.via === 'template' ? send.fallback : undefined
  try {
    const client = room.client(send.number)
    if (!client) throw new SwitchhookError('no_access_token', 'no access token for this number')
    return await client.attempt({ body: bytesOf(send), idempotencyKey: fallback?.key ?? send.key, ...code })
  } catch (error) {
    if (error instanceof ApiError) return { error }
    if (error instanceof SwitchhookError && error.code === 'no_access_token') return { withoutToken: error.message }
    room.report.unforeseen(send, error)
    return { unknown: reasonOf(error) }
  }
}

const GIVEN_UP: SendSettlement = {
  as: 'unknown',
  code: undefined,
  reason: 'an attempt was begun and its outcome is not known; it is not repeated any more, since it may have arrived',
}

const TOO_LATE: SendSettlement = {
  as: 'skipped',
  code: 'stale',
  reason: 'it would have come too late to be of use, so it was not sent',
}

const UNWANTED: SendSettlement = {
  as: 'skipped',
  code: 'agent',
  reason: 'the customer asked for the agent before it went out, so it was not sent',
}

const FORBIDDEN = {
  code: 'recipient_not_allowed',
  reason:
    'this recipient is not in the list of allowed recipients, so it waits: add it to allowedRecipients or SWITCHHOOK_ALLOWED_RECIPIENTS',
} as const

/** Looked at again after a while, by then perhaps with another list. */
function forbidden(doubtful: boolean, now: number): SendSettlement {
  return { as: doubtful ? 'attempting' : 'ready', at: now + LONGEST_WAIT_MS, ...FORBIDDEN }
}

/** It waits for the list of allowed recipients as before, and that was told. */
function isTold(send: SendRow, settlement: SendSettlement): boolean {
  return send.code === FORBIDDEN.code && 'code' in settlement && settlement.code === FORBIDDEN.code
}

/** The row as `beginSend` writes it. */
export function asBegun(send: SendRow, via: SendRow['via'], now: number): SendRow {
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

function goesOn({ as }: SendSettlement): boolean {
  return as === 'ready' || as === 'attempting' || as === 'fall_back'
}

function unprobed({ throttle }: DueSend): ThrottleChange | undefined {
  return throttle && throttle.closedUntil > 0 ? { ...throttle, closedUntil: 1 } : undefined
}

function toldOf(result: AttemptResult | undefined): Pick<Settled, 'replayed' | 'error'> {
  return {
    replayed: result !== undefined && 'message' in result && result.replayed,
    error: result !== undefined && 'error' in result ? result.error : undefined,
  }
}
