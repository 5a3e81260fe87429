import { ulid } from 'ulid'
import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { maskPhone } from '../base/mask.ts'
import { type ApiError, keyFrom, type TemplateRow } from '../client/index.ts'
import { recordedRefusal } from '../client/error-types.ts'
import { codeIn, type Content, type EncodeOptions, encodeSend, recipient, type Template } from '../content/index.ts'
import type { SendRequest } from '../contract/index.ts'
import type { Fence, NewSend, OpenedSend, SendRow } from '../stores/port/index.ts'
import { isGoingOut, isSurelyNotSent } from '../stores/rules/sends.ts'
import { carriesCode, templateProblem } from './check-template.ts'
import type { SendWorker } from './send-worker.ts'
import { AttemptOver, OutsideWindow } from './errors.ts'
import { fallbackKey } from './key.ts'
import { isOutsideWindow } from './outcome.ts'
import type { Recipients } from './recipients.ts'
import type { SendDeps, Settled } from './types.ts'
import type { TapSigner } from './tap-signature.ts'
import { asSend, type SendResult, sendOf } from './send.ts'
import type { TemplateList } from './template-list.ts'

/** One message that the app wants out. */
export interface SendIntent {
  readonly number: string
  readonly to: string
  readonly content: Content | Template
  readonly outsideWindow?: Template | undefined
  readonly ref?: string | undefined
  /** Why it goes out, and which of the messages of that cause it is: together they make its key. */
  readonly cause: string
  readonly slot: string
  /** Proof that the attempt on whose behalf it goes out still holds its lane. */
  readonly fence?: Fence
  /** It answers the customer: skipped while the bot is silent, and from `staleAt` on, which is service time. */
  readonly reply?: { readonly staleAt: number | undefined } | undefined
  /** Service time before which it does not go out, or a span from now. */
  readonly at?: Date | Duration | undefined
  /** `stored`: do not wait for the service's answer. */
  readonly wait?: 'accepted' | 'stored' | undefined
}

export interface RecordSendDeps extends SendDeps {
  readonly worker: SendWorker
  readonly recipients: Recipients
  /** How contents are checked on their way out. */
  readonly encode: EncodeOptions
  readonly tapSigner: TapSigner
  /** In development a reply that changed between two runs is an error; in production it is marked. */
  readonly strict: boolean
  templates(number: string): TemplateList | undefined
}

/** How long a caller waits for an answer before the outbox goes on without it. */
const WAIT_MS = 30_000
/** Another process may settle the send: then only a look at the table tells. */
const LOOK_EVERY_MS = 1_000

/**
 * Records a message under its key and bytes, and waits for what becomes of it. Whoever says the same again, after
 * a crash or on a retry, finds what was recorded.
 *
 * @throws OutsideWindow, AttemptOver, the client's `ApiError` where the service refuses, and SwitchhookError
 * `no_access_token`, `recipient_not_allowed`, `content_invalid`, `diverged`.
 */
export async function recordSend(saying: SendIntent, room: RecordSendDeps): Promise<SendResult> {
  const send = compose(saying, room)
  await checkTemplates(saying, send, room)
  const opened = await room.store.openSend(send, saying.fence)
  if (!opened) throw new AttemptOver('its lane was lost')
  if (opened.diverged) toldApart(saying, opened, room)
  if (opened.found !== 'known') tellIfSkipped(opened.send, room)
  const waits = isGoingOut(opened.send.state) && saying.wait !== 'stored'
  return await resultOf(opened, waits ? await awaitSettlement(opened.send.id, room) : undefined, room)
}

function compose(saying: SendIntent, room: RecordSendDeps): NewSend {
  requireToken(saying.number, room)
  refuseCodes(saying)
  const customer = room.recipients.allowed(saying.to)
  const key = keyFrom(saying.number, saying.cause, saying.slot)
  const now = room.clock.service()
  const dueAt = dueFrom(saying.at, now)
  const body = encodeSend(saying.content, customer, room.encode)
  // An option's time begins when it goes out.
  const seal = (text: string) => room.tapSigner.sign(text, { number: saying.number, customer }, dueAt ?? now)
  return {
    id: ulid(room.clock.wall()),
    key,
    number: saying.number,
    customer,
    lane: `${saying.number}/${customer}/out`,
    cause: saying.cause,
    slot: saying.slot,
    ref: saying.ref,
    body: seal(body),
    asked: body,
    via: isTemplate(saying.content) ? 'template' : 'freeform',
    fallback: fallbackOf(saying, key, customer, room, seal),
    createdAt: room.clock.wall(),
    dueAt,
    ...(saying.reply && { unlessMutedAt: now, expiresAt: saying.reply.staleAt }),
  }
}

/** Undefined where it goes out at once: what is past is now. */
function dueFrom(at: SendIntent['at'], now: number): number | undefined {
  if (at === undefined) return undefined
  const due = at instanceof Date ? at.getTime() : now + toMs(at, 'at')
  return due > now ? due : undefined
}

/** What is said here lies on disk, where a one-time code must never be (OTP-06). */
function refuseCodes({ content, outsideWindow }: SendIntent): void {
  if (codeIn(content) === undefined && codeIn(outsideWindow) === undefined) return
  throw new SwitchhookError(
    'content_invalid',
    'a one-time code is no reply and no fallback, since those are kept on disk: send it by to(customer).send(oneTimeCode(…), { key })',
  )
}

/** @throws SwitchhookError `no_access_token` */
export function requireToken(number: string, room: SendDeps): void {
  if (!room.client(number))
    throw new SwitchhookError(
      'no_access_token',
      `number "${number}" has no access token, so nothing can be sent: set SWITCHHOOK_ACCESS_TOKEN or the option accessToken`,
    )
}

/** A template is accepted outside the window as it is: there is nothing to fall back from. */
function fallbackOf(
  { content, outsideWindow }: SendIntent,
  key: string,
  customer: string,
  room: RecordSendDeps,
  seal: (body: string) => string,
): NewSend['fallback'] {
  if (!outsideWindow || isTemplate(content)) return undefined
  return { key: fallbackKey(key), body: seal(encodeSend(outsideWindow, customer, room.encode)) }
}

function toldApart(saying: SendIntent, opened: OpenedSend, room: RecordSendDeps): void {
  const customer = recipient(saying.to)
  const slot = shownSlot(saying.slot, [customer, opened.send.customer])
  room.report.diverged(opened.send, slot)
  const sameCustomer = opened.send.customer === customer
  if (sameCustomer && !room.strict && saying.cause !== APP) return
  throw new SwitchhookError(
    'diverged',
    `a message under the key of slot "${slot}" was recorded with another text or for another customer: a rerun must say the same, so keep what varies in a stable value, or give the message a slot or key of its own`,
  )
}

/** A slot may name whom it is said to, since a send to somebody does, and a key of the app's own may. */
function shownSlot(slot: string, customers: readonly string[]): string {
  return customers.reduce((shown, digits) => shown.replaceAll(digits, maskPhone(digits)), slot)
}

/** A bot that says nothing after `BOT` looks broken to whoever does not know why. */
function tellIfSkipped(send: SendRow, room: RecordSendDeps): void {
  const { state, code, reason = '' } = send
  if (state === 'skipped') room.report.settled(send, { as: 'skipped', code, reason })
}

/**
 * A template that would be refused is an error at once, unless it goes out later: by then it may be approved. As a
 * fallback it is one in development alone: elsewhere the free-form still goes out, and the list, which may be stale or
 * missing, never blocks (TPL-04); but a template for codes would keep the code (OTP-06).
 */
async function checkTemplates(saying: SendIntent, send: NewSend, room: RecordSendDeps): Promise<void> {
  const fallback = send.fallback?.body
  const body = isTemplate(saying.content) ? send.body : fallback
  const templates = body === undefined ? undefined : room.templates(saying.number)
  if (body === undefined || !templates) return
  const asked = JSON.parse(body) as SendRequest
  const problemIn = (rows: readonly TemplateRow[]) => templateProblem(asked, rows, false)
  const rows = await templates.named(asked.template_name ?? '', (found) => problemIn(found) === undefined)
  const problem = rows && problemIn(rows)
  if (!rows || problem === undefined || (await isRecorded(send.key, room))) return
  const mayBeMended = send.dueAt !== undefined || (fallback !== undefined && !room.strict)
  if (!mayBeMended || carriesCode(asked, rows)) throw new SwitchhookError('template_unsendable', problem)
  room.report.templateUnsendable(saying.number, problem)
}

/** Whoever says again what was recorded gets that, whatever the list says of its template by now. */
async function isRecorded(key: string, room: RecordSendDeps): Promise<boolean> {
  const known = await room.store.sendByKey(key)
  return known !== undefined && !isSurelyNotSent(known.state)
}

async function resultOf(opened: OpenedSend, settled: Settled | undefined, room: RecordSendDeps): Promise<SendResult> {
  const row = (await room.store.send(opened.send.id)) ?? opened.send
  const send = await sendOf(room.store, row)
  if (row.state === 'refused') throw refusal(row, settled?.error)
  if (row.state === 'skipped') return { via: 'skipped', why: row.code as 'agent' | 'handed_over' | 'stale' }
  if (row.state !== 'accepted') return { via: 'stored', send }
  const replayed = settled ? settled.replayed : opened.found === 'known'
  return { via: row.via, send, replayed, diverged: opened.diverged }
}

/** @param error undefined where another process had the answer. */
export function refusal(row: SendRow, error: ApiError | undefined): Error {
  const { code, reason = 'the service refused the send' } = row
  if (isOutsideWindow({ code })) return new OutsideWindow({ cause: error })
  return error ?? recordedRefusal({ code, reason, key: asSend(row).key })
}

/** The cause of what answers nothing: the app's own key says what it is about, so one key is one message. */
export const APP = 'app'

function isTemplate(content: Content | Template): boolean {
  return typeof content !== 'string' && content.kind === 'template'
}

/** Waits for the outbox of this process, and looks at the table in case another process settles the send. */
async function awaitSettlement(id: string, room: RecordSendDeps): Promise<Settled | undefined> {
  const until = room.clock.wall() + WAIT_MS
  while (room.clock.wall() < until) {
    const settled = await room.worker.settled(id, LOOK_EVERY_MS)
    if (settled) return settled
    const row = await room.store.send(id)
    if (row && !isGoingOut(row.state)) return undefined
  }
  return undefined
}
