import { LRUCache } from 'lru-cache'
import { monotonicFactory } from 'ulid'
import { toMs } from '../../base/duration.ts'
import { SwitchhookError, isA } from '../../base/errors.ts'
import { maskPhone } from '../../base/mask.ts'
import { type ApiError, keyFrom, type TemplateRow } from '../../client/client.ts'
import { recordedRefusal } from '../../client/api-errors.ts'
import { codeIn } from '../../service/one-time-code.ts'
import { onceOf, type OnUsed } from '../../service/interactive.ts'
import { wireId } from '../../service/tap-id.ts'
import type { Built, Content, Freeform, Template } from '../../service/content.ts'
import { MOST_PARTS, splitText } from '../../service/long-text.ts'
import { encodeSend, encodeWithheld } from '../../service/wire.ts'
import { recipient } from '../../service/recipient.ts'
import { codePoints, LIMITS, WINDOW_MS } from '../../service/endpoints.ts'
import { type SendRequest } from '../../service/send-request.ts'
import { A_RERUN_ASKS } from '../../store/outbox/failed-sends.ts'
import { APP_CAUSE, isGoingOut, isSurelyNotSent, WINDOW_CLOSED } from '../../store/outbox/send-rules.ts'
import { adoptOptOuts } from '../same-customer.ts'
import { asSend, AttemptOver, OutsideWindow, Unseen, type SendResult } from './send.ts'
import type { CheckedOptions, Long } from './send-options.ts'
import { clientWithToken, type RecordedSend, type SendDeps, SendWorker } from './send-worker.ts'
import { codeProblem, parameterProblem, TemplateList, templateProblem } from './template-check.ts'
import type { Steps } from '../../store/database/steps.ts'
import { AWAITED_MS, type SendEnd } from './waiting.ts'
import type { OpenedSend } from '../../store/outbox/open.ts'
import type { NewSend, WritingPerson } from '../../store/outbox/rows.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { Fence } from '../../store/work/lanes.ts'

export interface SendIntent {
  readonly number: string
  readonly to: string
  readonly content: Content | Template
  /** The key is made of cause and slot. */
  readonly cause: string
  readonly slot: string
  readonly delivery?: string
  readonly fence?: Fence
  /** Set for a message that each customer of a list gets. It is never split. */
  readonly ofList?: {
    /** Called in the commit that records the message. Returns false if the list does not want the message any more. */
    isWanted(customer: string): Steps<boolean>
    /** The reason in the error if `isWanted` returns false. */
    readonly unwanted: string
  }
  /** True for a question of a script. A tap on one of its options names this send. */
  readonly isQuestion?: boolean
  readonly byPerson?: WritingPerson
  /** True if another text under the same key is not an error. */
  readonly mayDiverge?: boolean
  /** Set if the message is a reply. It is skipped in a silence, and after `expiresAt` (service time). */
  readonly reply?: { readonly expiresAt: number | undefined }
  readonly options?: CheckedOptions
}

export interface RecordSendDeps extends SendDeps {
  readonly worker: SendWorker
  /** By the key of a send that this process made: the function that a second tap runs. */
  readonly onUsed: { get(key: string): OnUsed | undefined; set(key: string, onUsed: OnUsed): unknown }
  newId(): string
  templates(number: string): TemplateList
}

/**
 * Records a message under its key with its exact bytes, and waits until it is settled. A rerun finds this record.
 *
 * @throws OutsideWindow, AttemptOver, Unseen, the client's `ApiError` if the service refuses the message, and
 * SwitchhookError `no_access_token`, `recipient_not_allowed`, `content_invalid`, `template_unsendable`, `diverged`.
 */
export async function recordSend(intent: SendIntent, deps: RecordSendDeps): Promise<SendResult> {
  const { tx, wait } = intent.options ?? {}
  const isAwaited = wait !== 'stored' && tx === undefined
  await requireToken(intent.number, deps)
  const send = newSend(intent, isAwaited, deps)
  if (send.marketing) await adoptOptOuts(send.customer, deps)
  await checkTemplate(intent, send, deps)
  const opened: RecordedSend | undefined = tx
    ? await deps.store.openSendIn(tx, withDueTime(send, deps.clock.service()))
    : await deps.worker.open(send, { fence: intent.fence, isAwaited })
  if (!opened && intent.byPerson) throw new Unseen()
  if (!opened) throw new AttemptOver(intent.ofList?.unwanted)
  if (opened.diverged) reportOrRefuseDivergence(intent, opened, deps)
  if (opened.found !== 'known') reportIfEnded(opened.send, deps)
  const messages = [opened.send, ...opened.later]
  // Wait for all parts at once: `onSendFailed` would get the refusal of a part for which nobody waits.
  const ends = messages.map(async (row, nth): Promise<SendEnd> => {
    if (!isAwaited || !isGoingOut(row.state)) return { row }
    return (nth === 0 ? opened.end : undefined) ?? deps.worker.endOf(row)
  })
  return await resultOf(opened, await Promise.all(ends), deps)
}

/** In the app's own transaction a message gets no place in its lane, so only a due time lets it begin. */
function withDueTime(send: NewSend, now: number): NewSend & { readonly dueAt: number } {
  const dueAt = send.dueAt ?? now
  return { ...send, dueAt, ...(send.later && { later: send.later.map((part) => ({ ...part, dueAt })) }) }
}

function newSend(intent: SendIntent, isAwaited: boolean, deps: RecordSendDeps): NewSend {
  const { number, cause, slot, content, reply, ofList, options = {} } = intent
  refuseCodes(content, options)
  const { customer, to } = allowedRecipient(intent.to, deps)
  const key = keyFrom(number, cause, slot)
  const now = deps.clock.service()
  const wall = deps.clock.wall()
  const dueAt = dueFrom(options.at, now)
  const [message = content, ...more] = messagesOf(content, ofList ? 'refuse' : (options.long ?? deps.long))
  const body = encodeSend(message, to)
  // The signed ids of options contain the time at which the message is sent.
  const isFreeform = !isTemplate(content)
  const signed = (text: string) => deps.tapSigner.sign(text, { number, customer }, dueAt ?? now)
  const once = intent.isQuestion ? undefined : onceOf(content)
  if (once?.onUsed) deps.onUsed.set(key, once.onUsed)
  const wired = intent.isQuestion || once ? withWireIds(signed(body), key) : { body: signed(body), ids: [] }
  const send: NewSend = {
    id: deps.newId(),
    key,
    number,
    customer,
    lane: `${number}/${customer}/out`,
    cause,
    slot,
    ref: options.ref,
    onlyIf: ofList && (() => ofList.isWanted(customer)),
    byPerson: intent.byPerson,
    delivery: intent.delivery,
    trace: deps.watcher?.current(),
    body: wired.body,
    options: wired.ids.length > 0 ? { ids: wired.ids, once: once !== undefined } : undefined,
    // The whole text, with which the text of a rerun is compared.
    asked: message === content ? body : encodeWithheld(content, customer),
    moves: options.at !== undefined && cause === APP_CAUSE,
    via: isFreeform ? 'freeform' : 'template',
    fallback:
      options.outsideWindow && isFreeform
        ? { key: fallbackKey(key), body: signed(encodeSend(options.outsideWindow, to)) }
        : undefined,
    createdAt: wall,
    dueAt,
    needsInboundSince:
      isFreeform && !options.outsideWindow && dueAt === undefined && !deps.lease.mayBeAhead()
        ? now - WINDOW_MS
        : undefined,
    awaitedUntil: isAwaited ? (intent.fence ? A_RERUN_ASKS : wall + AWAITED_MS) : undefined,
    ...(reply && { repliedAt: now, expiresAt: reply.expiresAt }),
    ...(options.kind === 'marketing' && { marketing: { at: now, anyNumber: deps.oneBusiness } }),
  }
  if (more.length === 0) return send
  const later = more.map((text, at) => laterPart(send, { id: deps.newId(), to, text, nth: at + 2 }))
  return { ...send, part: { of: key, nth: 1 }, later }
}

/** Splits a text that is too long, if the app allows it. @throws SwitchhookError `content_invalid` */
function messagesOf(content: Content | Template, long: Long): readonly (Content | Template)[] {
  const { max } = LIMITS.text
  const text = textOf(content)
  if (text === undefined || codePoints(text) <= max) return [content]
  if (long !== 'split')
    throw tooLong(
      `must have at most ${max} characters: pass long: 'split' to send it as several messages, here or as the bot's option`,
    )
  const parts = codePoints(text) > MOST_PARTS * max ? undefined : splitText(text, max)
  if (parts === undefined || parts.length > MOST_PARTS) throw tooLong(`needs more than ${MOST_PARTS} messages`)
  // If splitting leaves nothing, the text is blank. The send is refused later, like any blank text.
  return parts.length === 0 ? [' '] : parts
}

function textOf(content: Content | Template): string | undefined {
  if (typeof content === 'string') return content
  const { kind, wire } = (content ?? {}) as Partial<Built<Freeform>>
  return kind === 'text' && typeof wire?.['text'] === 'string' ? wire['text'] : undefined
}

function tooLong(why: string): SwitchhookError {
  return new SwitchhookError('content_invalid', `text: ${why}`)
}

interface LaterPart {
  readonly id: string
  readonly to: string
  readonly text: SendIntent['content']
  readonly nth: number
}

function laterPart(first: NewSend, { id, to, text, nth }: LaterPart): NewSend {
  const { number, cause, slot, fallback } = first
  // Only later messages of a split text have a key of four parts, so it equals no other key.
  const key = keyFrom(number, cause, slot, nth)
  return {
    ...first,
    id,
    key,
    body: encodeSend(text, to),
    asked: undefined,
    part: { of: first.key, nth },
    fallback: fallback && { ...fallback, key: fallbackKey(key) },
  }
}

/** Adds the send's key to the ids of options. `ids`: as the app passed them. */
function withWireIds(body: string, key: string): { readonly body: string; readonly ids: readonly string[] } {
  const send = JSON.parse(body) as {
    interactive?: { buttons?: { id: string }[]; sections?: { rows: { id: string }[] }[] }
  }
  const { buttons = [], sections = [] } = send.interactive ?? {}
  const options = [...buttons, ...sections.flatMap(({ rows }) => rows)]
  const ids = options.map(({ id }) => id)
  for (const option of options) option.id = wireId(key, option.id)
  return { body: JSON.stringify(send), ids }
}

/** Accepts a number whose token cannot be looked up now. @throws SwitchhookError `no_access_token` */
async function requireToken(number: string, deps: SendDeps): Promise<void> {
  try {
    await clientWithToken(number, deps)
  } catch (error) {
    if (!(isA(error, SwitchhookError) && error.code === 'number_unavailable')) throw error
  }
}

/** Refuses one-time codes, because recorded messages are on disk (OTP-06). */
function refuseCodes(content: SendIntent['content'], { outsideWindow }: CheckedOptions): void {
  if (codeIn(content) === undefined && codeIn(outsideWindow) === undefined) return
  throw new SwitchhookError(
    'content_invalid',
    'a one-time code cannot be a reply or a fallback, because those are stored: send it with to(customer).send(oneTimeCode(…), { key })',
  )
}

/** @throws SwitchhookError `content_invalid` if it is not a phone number, `recipient_not_allowed` */
export function allowedRecipient(
  given: string,
  { allowedRecipients: allowed, sameCustomer }: Pick<SendDeps, 'allowedRecipients' | 'sameCustomer'>,
): { readonly customer: string; readonly to: string } {
  const to = recipient(given)
  const customer = sameCustomer.of(to)
  if (allowed?.has(customer) === false)
    throw new SwitchhookError(
      'recipient_not_allowed',
      'this recipient is not allowed: add it to allowedRecipients or SWITCHHOOK_ALLOWED_RECIPIENTS',
    )
  return { customer, to }
}

/** Undefined if the message is sent at once. */
function dueFrom(at: CheckedOptions['at'], now: number): number | undefined {
  if (at === undefined) return undefined
  const due = at instanceof Date ? at.getTime() : now + toMs(at, 'at')
  return due > now ? due : undefined
}

/** The fallback is another message, so it has its own key (ERR-06). */
function fallbackKey(key: string): string {
  return `${key}:fallback`
}

/**
 * Refuses a template that the service would refuse, or that is for codes (`codeProblem`). A scheduled template causes
 * only a warning, because it may be approved before it is due. A fallback causes only a warning too, because its text
 * must go out inside the window (TPL-04). With an emulator the fallback is refused.
 */
async function checkTemplate({ number, content }: SendIntent, send: NewSend, deps: RecordSendDeps): Promise<void> {
  const body = isTemplate(content) ? send.body : send.fallback?.body
  if (body === undefined) return
  const request = JSON.parse(body) as SendRequest
  const unfit = deps.templateParameters === 'refuse' ? parameterProblem(request) : undefined
  if (unfit !== undefined && !(await isRecorded(send.key, deps))) {
    if (isTemplate(content) || deps.strict) throw new SwitchhookError('content_invalid', unfit)
    deps.report.templateUnsendable(send, unfit)
    return
  }
  const problemIn = (rows: readonly TemplateRow[]) => templateProblem(request, rows, false)
  const list = deps.templates(number)
  const rows = await list.named(request.template_name ?? '', (found) => problemIn(found) === undefined)
  const problem = rows && problemIn(rows)
  if ((rows && problem === undefined) || (await isRecorded(send.key, deps))) return
  const mayBeFixed = send.dueAt !== undefined || (send.fallback !== undefined && !deps.strict)
  const codes = await codeProblem(request, { list, rows, isFallback: send.fallback !== undefined })
  const refused = codes ?? (mayBeFixed ? undefined : problem)
  if (refused !== undefined) throw new SwitchhookError('template_unsendable', refused)
  if (problem !== undefined) deps.report.templateUnsendable(send, problem)
}

async function isRecorded(key: string, { store }: RecordSendDeps): Promise<boolean> {
  const known = await store.findSend({ key })
  return known !== undefined && !isSurelyNotSent(known.state)
}

function reportOrRefuseDivergence(intent: SendIntent, opened: OpenedSend, deps: RecordSendDeps): void {
  const customer = deps.sameCustomer.of(recipient(intent.to))
  const slot = maskedSlot(intent.slot, [customer, opened.send.customer])
  deps.report.diverged(opened.send, slot)
  const sameCustomer = opened.send.customer === customer
  const isAllowed = intent.mayDiverge === true || (!deps.strict && intent.cause !== APP_CAUSE)
  if (sameCustomer && isAllowed) return
  throw new SwitchhookError(
    'diverged',
    `a message under the key of slot "${slot}" was recorded with another text or for another customer${opened.moved === false ? `, and cannot be moved any more: it is ${opened.send.state}` : ''}. A rerun must send the same message: keep changing values in once(), or give each message its own slot or key`,
  )
}

export function maskedSlot(slot: string, customers: readonly string[]): string {
  return customers.reduce((masked, digits) => masked.replaceAll(digits, maskPhone(digits)), slot)
}

/** Reports a send that ended when it was recorded, for example because its customer is taken over. */
function reportIfEnded(send: SendRow, deps: RecordSendDeps): void {
  const { state, code, reason = '' } = send
  if (state === 'skipped' || state === 'refused') deps.report.settled(send, { as: state, code, reason }, undefined)
}

/** A text in several messages has the result of the first one that was not accepted, else of the last that was sent. */
async function resultOf(opened: OpenedSend, ends: readonly SendEnd[], { store }: RecordSendDeps): Promise<SendResult> {
  const first = ends[0] as SendEnd
  const sent = ends.filter((end) => end === first || !(end.row.state === 'skipped' || end.row.state === 'cancelled'))
  const { row, answer } = sent.find((end) => end.row.state !== 'accepted') ?? sent.at(-1) ?? first
  if (row.state === 'refused') throw refusal(row, answer?.error)
  if (row.state === 'skipped')
    return { via: 'skipped', why: row.code as Extract<SendResult, { via: 'skipped' }>['why'] }
  const rows = ends.map((end) => end.row)
  const isFresh = answer !== undefined && row.state === 'accepted' && ends.length === 1
  const send = asSend(isFresh ? { row } : await store.withStatuses(first.row, rows))
  if (row.state !== 'accepted')
    return { via: 'stored', send, ...(opened.moved !== undefined && { moved: opened.moved }) }
  const replayed = first.answer?.replayed ?? opened.found === 'known'
  return { via: row.via, send, replayed, diverged: opened.diverged }
}

/** @param error undefined if another process received the answer. */
export function refusal(row: SendRow, error: ApiError | undefined): Error {
  const { code, reason = 'the service refused the send' } = row
  if (code === WINDOW_CLOSED.code) return new OutsideWindow({ cause: error })
  return error ?? recordedRefusal({ code, reason, key: asSend({ row }).key })
}

function isTemplate(content: Content | Template): boolean {
  return typeof content !== 'string' && content.kind === 'template'
}

// ── the outbox of a bot ─────────────────────────────────────────────────────────────────────────────

export type Outbox = ReturnType<typeof createOutbox>

/** So many of the latest functions `onUsed` are kept. */
const USED_REMEMBERED = 10_000
/** The template lists of this many numbers are cached. A bot may have more numbers. */
const TEMPLATE_LISTS = 1_000

export function createOutbox(options: SendDeps) {
  const { store, clock, timers } = options
  const worker = new SendWorker(options)
  const onUsed = new LRUCache<string, OnUsed>({ max: USED_REMEMBERED })
  const lists = new LRUCache<string, TemplateList>({ max: TEMPLATE_LISTS })
  // Ids of one millisecond differ by a counter. Random ids would take a tenth of a reply's CPU.
  const ulid = monotonicFactory()
  const deps: RecordSendDeps = {
    ...options,
    worker,
    onUsed,
    newId: () => ulid(clock.wall()),
    templates(number) {
      const client = () => clientWithToken(number, options)
      const list =
        lists.get(number) ?? new TemplateList({ client, clock, timers, local: options.strict, store, number })
      lists.set(number, list)
      return list
    },
  }

  const record = (intent: SendIntent) => recordSend(intent, deps)

  return {
    recordSend: record,
    cancel: (number: string, slot: string) => store.cancelSend(keyFrom(number, APP_CAUSE, slot), clock.wall()),
    lanes: worker.lanes,
    running: () => worker.lanes.running() + worker.outside(),
    outside: () => worker.outside(),
    /** For built-in features, which record sends too. */
    deps: { ...deps, recordSend: record },
  }
}
