import { LRUCache } from 'lru-cache'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { SwitchhookError } from '../../base/errors.ts'
import { keyFrom, type TemplateRow } from '../../client/client.ts'
import { encodeSend, encodeWithheld } from '../../service/wire.ts'
import type { OneTimeCode } from '../../service/content.ts'
import { CODE_EXPIRY } from '../../service/endpoints.ts'
import { type SendRequest } from '../../service/send-request.ts'
import { LEASE_MS } from '../../store/work/lanes.ts'
import type { BuiltInDeps, BuiltInFeature, GivenContent } from '../../bot/feature.ts'
import { checkMembers } from '../../bot/option-checks.ts'
import { type AttemptResult, stopsNumber } from '../../bot/outbox/outcome.ts'
import { allowedRecipient, refusal } from '../../bot/outbox/record-send.ts'
import { slotOf } from '../../bot/outbox/send-options.ts'
import { clientWithToken, type MadeAttempt } from '../../bot/outbox/send-worker.ts'
import { asSend, type SendResult } from '../../bot/outbox/send.ts'
import { templateProblem } from '../../bot/outbox/template-check.ts'
import { APP_CAUSE } from '../../store/outbox/send-rules.ts'
import type { NewSend } from '../../store/outbox/rows.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { Fence } from '../../store/work/lanes.ts'
import type { SendSettlement } from '../../store/outbox/send-attempts.ts'

/** A one-time code to send. `slot`: the app's own key, one for each verification. */
interface CodeIntent extends Omit<GivenContent, 'content' | 'options'> {
  readonly code: OneTimeCode
  readonly slot: string
}

interface SendCodeDeps extends BuiltInDeps {
  readonly codes: CodesInMemory
}

const LONGEST_ATTEMPT_MS = 30_000

export const botPart: BuiltInFeature = {
  create(given) {
    const codes = createCodesInMemory()
    const deps = { ...given, codes }
    return {
      sends: {
        code: async ({ content, options, ...rest }) =>
          sendCode({ ...rest, code: content as OneTimeCode, slot: checkedKey(options) }, deps),
      },
    }
  },
}

/** @throws SwitchhookError `options_invalid` */
function checkedKey(options: unknown): string {
  checkMembers(options ?? {}, 'send()', { key: slotOf })
  return slotOf((options as { key?: unknown } | undefined)?.key)
}

/** Under one key of the app up to three codes are sent, each only if the one before was refused, lost or unknown. */
const CODES_OF_KEY = [1, 2, 3]

/**
 * Sends a one-time code from memory: the row on disk does not contain it (OTP-06). The code waits in no lane, and is
 * not sent after its expiry (OTP-09). If the process ends, the send becomes `lost_code`, and a new code may be sent
 * under the same key.
 *
 * @throws SwitchhookError `diverged` if another code, or already three codes, were sent under this key;
 * `outcome_unknown` if it is unknown at expiry whether the code arrived; `number_unavailable` if the number's token
 * cannot be read now; and what `recordSend` throws.
 */
async function sendCode(intent: CodeIntent, deps: SendCodeDeps): Promise<SendResult> {
  const { number, slot } = intent
  await clientWithToken(number, deps)
  const { customer, to } = allowedRecipient(intent.to, deps)
  const asked = encodeSend(intent.code, customer)
  const { send, body } = await newCode(intent, { customer, to }, deps)
  const keys = CODES_OF_KEY.map((nth) => keyFrom(number, APP_CAUSE, slot, 'code', nth))
  const { name } = deps.lease
  const opened = await deps.store.openCode(send, keys, {
    processName: name,
    leaseMs: LEASE_MS,
    others: deps.lease.others,
    now: send.createdAt,
    tells: deps.reportsFailures,
  })
  if (!opened) {
    // This process stood still for longer than its lease, and was declared dead. Record the code under its next name.
    deps.lease.wasDeclaredDead(name)
    return sendCode(intent, deps)
  }
  if (opened.found === 'used_up')
    throw new SwitchhookError(
      'diverged',
      `${CODES_OF_KEY.length} codes were tried under this key, which is the most: use a new key for the next verification`,
    )
  if (opened.found === 'known') {
    const result = deps.codes.resultOf(opened.send.id, asked)
    if (!result)
      throw new SwitchhookError(
        'diverged',
        'a one-time code was already sent under this key, and it may have been another one: use a new key for each verification',
      )
    return result
  }
  const result = sendUntilSettled(opened.send, opened.fence, body, deps)
  deps.worker.track(result)
  deps.codes.keep(send.id, asked, result)
  return result
}

/** `body` contains the code. The row of `send` does not. */
async function newCode(
  { number, slot, code, delivery }: CodeIntent,
  { customer, to }: ReturnType<typeof allowedRecipient>,
  deps: SendCodeDeps,
): Promise<{ readonly send: NewSend; readonly body: string }> {
  const hasRule = deps.sameCustomer.digest !== undefined
  const { wroteAs = to } = hasRule ? await deps.store.customerOf(number, customer, deps.clock.service()) : {}
  const body = encodeSend(code, wroteAs)
  const withheld = encodeWithheld(code, wroteAs)
  const template = await templateOf(number, JSON.parse(withheld) as SendRequest, deps)
  const id = deps.newId()
  const now = deps.clock.wall()
  const send: NewSend = {
    id,
    key: '',
    number,
    customer,
    lane: `${number}/${customer}/code/${id}`,
    cause: APP_CAUSE,
    slot,
    ref: undefined,
    delivery,
    trace: deps.watcher?.current(),
    body: withheld,
    via: 'template',
    fallback: undefined,
    createdAt: now,
    expiresAt: deps.clock.service() + codeExpiryMs(template),
  }
  return { send, body }
}

async function templateOf(number: string, request: SendRequest, deps: SendCodeDeps): Promise<TemplateRow | undefined> {
  const problemIn = (rows: readonly TemplateRow[]) => templateProblem(request, rows, true)
  const name = request.template_name ?? ''
  const rows = await deps.templates(number).named(name, (found) => problemIn(found) === undefined)
  const problem = rows && problemIn(rows)
  if (problem !== undefined) throw new SwitchhookError('template_unsendable', problem)
  return rows?.find((row) => row.language === request.template_language)
}

/** Milliseconds after which a code of this template is useless and attempts end (OTP-09). */
function codeExpiryMs(row: TemplateRow | undefined): number {
  const minutes = (row?.components as readonly unknown[] | undefined)
    ?.map((component) => ((component ?? {}) as { code_expiration_minutes?: unknown }).code_expiration_minutes)
    .find((value): value is number => typeof value === 'number' && value >= 1)
  return minutes === undefined ? CODE_EXPIRY.usualMs : Math.min(minutes * 60_000, CODE_EXPIRY.longestMs)
}

/** Repeats the attempt from memory until the code is settled or expires. */
async function sendUntilSettled(send: SendRow, fence: Fence, body: string, deps: SendCodeDeps): Promise<SendResult> {
  const { clock } = deps
  let row = send
  let last: AttemptResult | undefined
  for (;;) {
    const settled = await attemptCode(row, fence, body, deps)
    if (!settled) throw outcomeUnknown()
    const { settlement, result = last } = settled
    if (settlement.as !== 'ready' && settlement.as !== 'attempting')
      return resultOf(settled.send, settlement, result, deps)
    row = settled.send
    last = result
    await pause(settlement.at - clock.wall(), deps)
    await pauseWithNumber(row, deps)
  }
}

async function attemptCode(send: SendRow, fence: Fence, body: string, { worker, clock }: SendCodeDeps) {
  const timeLeft = () => (send.expiresAt ?? 0) - clock.service()
  // The code may have expired, because the pause before this attempt takes longer if the machine sleeps.
  const hasExpired = send.attempts > 0 && timeLeft() <= 0
  const real = () => ({ body, timeout: Math.max(1, Math.min(LONGEST_ATTEMPT_MS, timeLeft())) })
  const made = hasExpired ? undefined : await worker.attemptFromMemory(fence, send, real)
  if (!made && !hasExpired) return undefined
  const settlement = settlementOf(made, send, timeLeft(), clock.wall())
  const settled = await worker.settleFromMemory(fence, send, settlement, made)
  return settled && { send: settled, settlement, result: made?.result }
}

/** A code is not attempted after its expiry, and does not wait until a person resumes a stopped number. */
function settlementOf(made: MadeAttempt | undefined, send: SendRow, leftMs: number, now: number): SendSettlement {
  const settlement = made?.settlement ?? lastOutcome(send)
  if (settlement.as === 'postponed') return { ...settlement, as: 'refused' }
  if (settlement.as !== 'ready' && settlement.as !== 'attempting') return settlement
  const stops = made !== undefined && stopsNumber(made.result)
  if (!stops && Math.max(0, settlement.at - now) < leftMs) return settlement
  return { ...settlement, as: settlement.as === 'ready' ? 'refused' : 'unknown' }
}

function lastOutcome({ state, code, reason = '', nextAt }: SendRow): SendSettlement {
  return { as: state === 'attempting' ? 'attempting' : 'ready', at: nextAt, code, reason }
}

/** When a throttle of the number ends, waiting codes are sent at random times within this span, not all at once. */
const SPREAD_LONGEST_MS = 5_000

/** Waits while a throttle pauses the number. It checks again after the wait: another send may have paused it again. */
async function pauseWithNumber({ number, expiresAt = 0 }: SendRow, deps: SendCodeDeps): Promise<void> {
  const pausedForMs = () => deps.worker.pausedForMs(number)
  for (let ms = pausedForMs(); ms > 0 && ms < expiresAt - deps.clock.service(); ms = pausedForMs())
    await pause(ms + deps.random() * Math.min(ms, SPREAD_LONGEST_MS), deps)
}

function pause(ms: number, { timers }: SendCodeDeps): Promise<void> {
  return new Promise((resolve) => void timers.after(Math.max(0, ms), resolve))
}

async function resultOf(
  send: SendRow,
  settlement: SendSettlement,
  result: AttemptResult | undefined,
  { store }: SendCodeDeps,
): Promise<SendResult> {
  const row = (await store.findSend({ id: send.id })) ?? send
  if (settlement.as === 'accepted') {
    const replayed = result !== undefined && 'message' in result && result.replayed
    return { via: 'template', send: asSend(await store.withStatuses(row)), replayed, diverged: false }
  }
  if (settlement.as === 'refused')
    throw refusal(row, result !== undefined && 'error' in result ? result.error : undefined)
  throw outcomeUnknown()
}

function outcomeUnknown(): SwitchhookError {
  return new SwitchhookError(
    'outcome_unknown',
    'it is unknown whether this code arrived, and it is not sent again: issue a new one, under the same key',
  )
}

type CodesInMemory = ReturnType<typeof createCodesInMemory>

/** How many latest codes are remembered with their results. A repeat of an older one is refused with `diverged`. */
const REMEMBERED = 1_000

/** Codes are compared by a hash whose key never leaves the memory: a plain hash of six digits can be reversed. */
function createCodesInMemory() {
  const secret = randomBytes(32)
  const known = new LRUCache<string, { readonly mac: Buffer; readonly result: Promise<SendResult> }>({
    max: REMEMBERED,
  })
  const macOf = (body: string) => createHmac('sha256', secret).update(body).digest()

  return {
    keep(id: string, body: string, result: Promise<SendResult>) {
      known.set(id, { mac: macOf(body), result })
    },
    /** Returns the result of a code that this process sent, if the body is the same. */
    resultOf(id: string, body: string) {
      const one = known.get(id)
      return one && timingSafeEqual(one.mac, macOf(body)) ? one.result : undefined
    },
  }
}
