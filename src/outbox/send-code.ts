import { ulid } from 'ulid'
import { SwitchhookError } from '../base/errors.ts'
import { keyFrom, type TemplateRow } from '../client/index.ts'
import { encodeSend, encodeWithheld, type OneTimeCode } from '../content/index.ts'
import type { SendRequest } from '../contract/index.ts'
import { LEASE_MS } from '../lanes/runner.ts'
import type { Fence, NewSend, SendRow, SendSettlement } from '../stores/port/index.ts'
import { codeExpiryMs, templateProblem } from './check-template.ts'
import type { CodesInMemory } from './codes.ts'
import { type AttemptResult, decideSend } from './outcome.ts'
import { APP, refusal, requireToken, type RecordSendDeps } from './record-send.ts'
import { type SendResult, sendOf } from './send.ts'
import { asBegun, attemptAt } from './send-turns.ts'

/** A one-time code that the app wants out; `slot` is its own key, one for each attempt at proving who somebody is. */
export interface CodeIntent {
  readonly number: string
  readonly to: string
  readonly code: OneTimeCode
  readonly slot: string
}

export interface SendCodeDeps extends RecordSendDeps {
  readonly codes: CodesInMemory
  pause(ms: number): Promise<void>
}

const LONGEST_ATTEMPT_MS = 30_000

/** How often a new code may go out under one key of the app's, after one was refused, lost or left unknown. */
const GENERATIONS = [1, 2, 3]

/**
 * Sends a code from memory: what lies on disk is withheld, nothing waits in a lane, and nothing outlives the code's
 * expiry (OTP-06, OTP-09). A process that ends leaves a `lost_code`, and a new code may go out under the same key.
 *
 * @throws SwitchhookError `diverged` where another code went out under this key, `outcome_unknown` where nothing is known
 * of it when it expires, and what `say` throws.
 */
export async function sendCode(saying: CodeIntent, room: SendCodeDeps): Promise<SendResult> {
  const { number, slot } = saying
  requireToken(number, room)
  const customer = room.recipients.allowed(saying.to)
  const body = encodeSend(saying.code, customer, room.encode)
  const withheld = encodeWithheld(saying.code, customer)
  const row = await rowOf(number, JSON.parse(withheld) as SendRequest, room)
  const id = ulid(room.clock.wall())
  const now = room.clock.wall()
  const send: NewSend = {
    id,
    key: '',
    number,
    customer,
    lane: `code/${id}`,
    cause: APP,
    slot,
    ref: undefined,
    body: withheld,
    via: 'template',
    fallback: undefined,
    createdAt: now,
    expiresAt: room.clock.service() + codeExpiryMs(row),
  }
  const keys = GENERATIONS.map((generation) => keyFrom(number, APP, slot, 'code', generation))
  const opened = await room.store.openCode(send, keys, { owner: room.owner, until: now + LEASE_MS, now })
  if (opened.found === 'used_up') throw usedUp()
  if (opened.found === 'known') {
    const same = room.codes.same(opened.send.id, body)
    if (!same) throw another()
    return same
  }
  const result = drive(opened.send, opened.fence, body, room)
  room.codes.begin(id, body, { fence: opened.fence, result })
  return result
}

/** The template's row, where the list can be had. */
async function rowOf(number: string, asked: SendRequest, room: RecordSendDeps): Promise<TemplateRow | undefined> {
  const problemIn = (rows: readonly TemplateRow[]) => templateProblem(asked, rows, true)
  const name = asked.template_name ?? ''
  const rows = await room.templates(number)?.named(name, (found) => problemIn(found) === undefined)
  const problem = rows && problemIn(rows)
  if (problem !== undefined) throw new SwitchhookError('template_unsendable', problem)
  return rows?.find((row) => row.language === asked.template_language)
}

/** Attempts by the contract's table, one after another, until it is settled or expires. */
async function drive(send: SendRow, fence: Fence, body: string, room: SendCodeDeps): Promise<SendResult> {
  let now = send
  let doubtful = false
  for (;;) {
    const at = room.clock.wall()
    if ((await room.store.beginSend(fence, send.id, 'template', at)) !== 'begun') throw notKnown()
    now = asBegun(now, 'template', at)
    const timeout = Math.max(1, Math.min(LONGEST_ATTEMPT_MS, leftOf(send, room)))
    const result = await attemptAt(now, room, { body, timeout })
    const settlement = boundedBy(send, decideSend(now, doubtful, result, rulesOf(room)), room)
    doubtful ||= settlement.as === 'attempting'
    if (!(await room.store.settleCode(fence, send.id, settlement, room.clock.wall()))) throw notKnown()
    room.report.settled(now, settlement)
    if (settlement.as !== 'ready' && settlement.as !== 'attempting') return resultOf(now, settlement, result, room)
    if ('error' in result && result.error.status === 429) room.codes.limit(send.number, settlement.at)
    await room.pause(settlement.at - room.clock.wall())
    await limitOver(send, room)
    if (leftOf(send, room) > 0) continue
    // The pause was longer than it was asked to be: a machine that slept.
    const ended = boundedBy(send, settlement, room)
    if (!(await room.store.settleCode(fence, send.id, ended, room.clock.wall()))) throw notKnown()
    room.report.settled(now, ended)
    return resultOf(now, ended, result, room)
  }
}

/** Codes that waited go on within this time, and not at once: the first ones ask, and the others hear of it. */
const SPREAD_LONGEST_MS = 5_000

/** What another code met since is asked of this one too. */
async function limitOver(send: SendRow, room: SendCodeDeps): Promise<void> {
  const limited = () => room.codes.limitedUntil(send.number) - room.clock.wall()
  for (let ms = limited(); ms > 0 && ms < leftOf(send, room); ms = limited())
    await room.pause(ms + room.random() * Math.min(ms, SPREAD_LONGEST_MS))
}

function leftOf({ expiresAt = 0 }: SendRow, room: SendCodeDeps): number {
  return expiresAt - room.clock.service()
}

function rulesOf(room: SendCodeDeps) {
  return { now: room.clock.wall(), serviceNow: room.clock.service(), ...room }
}

/** Not tried again once it has expired; a stopped queue ends it, since no code may wait for a person. */
function boundedBy(send: SendRow, settlement: SendSettlement, room: SendCodeDeps): SendSettlement {
  if (settlement.as === 'held') return { ...settlement, as: 'refused' }
  if (settlement.as !== 'ready' && settlement.as !== 'attempting') return settlement
  if (Math.max(0, settlement.at - room.clock.wall()) < leftOf(send, room)) return settlement
  return { ...settlement, as: settlement.as === 'ready' ? 'refused' : 'unknown' }
}

async function resultOf(
  send: SendRow,
  settlement: SendSettlement,
  result: AttemptResult,
  room: SendCodeDeps,
): Promise<SendResult> {
  const row = (await room.store.send(send.id)) ?? send
  if (settlement.as === 'accepted') {
    const replayed = 'message' in result && result.replayed
    return { via: 'template', send: await sendOf(room.store, row), replayed, diverged: false }
  }
  if (settlement.as === 'refused') throw refusal(row, 'error' in result ? result.error : undefined)
  throw notKnown()
}

function notKnown(): SwitchhookError {
  return new SwitchhookError(
    'outcome_unknown',
    'whether this code arrived is not known, and it is not sent again: issue a new one, which may go out under the same key',
  )
}

function another(): SwitchhookError {
  return new SwitchhookError(
    'diverged',
    'a one-time code went out under this key already, and it may have been another one: give each attempt at proving who somebody is a key of its own',
  )
}

function usedUp(): SwitchhookError {
  return new SwitchhookError(
    'diverged',
    `${GENERATIONS.length} codes were tried under this key, and none other goes out under it: give the next attempt a key of its own`,
  )
}
