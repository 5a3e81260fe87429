import { ulid } from 'ulid'
import { SwitchhookError } from '../base/errors.ts'
import type { ApiError } from '../client/index.ts'
import { type Content, encodeSend, recipient, type Template } from '../content/index.ts'
import type { Fence, NewSend, OpenedSend, SendRow } from '../stores/port/index.ts'
import { AttemptOver, OutsideWindow } from './errors.ts'
import { fallbackKey, keyOf } from './key.ts'
import { isOutsideWindow } from './outcome.ts'
import type { Outbox, OutboxRoom, Settled } from './outbox.ts'
import { type SendResult, sendOf } from './send.ts'

/** One message that the app wants out. */
export interface Saying {
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
}

export interface SayRoom extends OutboxRoom {
  readonly outbox: Outbox
  /** Digits that may be sent to; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
  /** In development a reply that changed between two runs is an error; in production it is marked. */
  readonly strict: boolean
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
export async function say(saying: Saying, room: SayRoom): Promise<SendResult> {
  const opened = await room.store.openSend(compose(saying, room), saying.fence)
  if (!opened) throw new AttemptOver('its lane was lost')
  if (opened.diverged) toldApart(saying, opened, room)
  const settled = isOpen(opened.send) ? await settlementOf(opened.send.id, room) : undefined
  return await resultOf(opened, settled, room)
}

function compose(saying: Saying, room: SayRoom): NewSend {
  if (!room.client(saying.number))
    throw new SwitchhookError(
      'no_access_token',
      `number "${saying.number}" has no access token, so nothing can be sent: set SWITCHHOOK_ACCESS_TOKEN or the option accessToken`,
    )
  const customer = recipient(saying.to)
  if (room.allowedRecipients && !room.allowedRecipients.has(customer))
    throw new SwitchhookError(
      'recipient_not_allowed',
      'this recipient is not in the list of allowed recipients: add it to allowedRecipients or SWITCHHOOK_ALLOWED_RECIPIENTS',
    )
  const key = keyOf(saying.number, saying.cause, saying.slot)
  return {
    id: ulid(room.clock.wall()),
    key,
    number: saying.number,
    customer,
    lane: `${saying.number}/${customer}/out`,
    cause: saying.cause,
    slot: saying.slot,
    ref: saying.ref,
    body: encodeSend(saying.content, customer),
    via: isTemplate(saying.content) ? 'template' : 'freeform',
    fallback: fallbackOf(saying, key, customer),
    createdAt: room.clock.wall(),
  }
}

/** A template is accepted outside the window as it is: there is nothing to fall back from. */
function fallbackOf({ content, outsideWindow }: Saying, key: string, customer: string): NewSend['fallback'] {
  if (!outsideWindow || isTemplate(content)) return undefined
  return { key: fallbackKey(key), body: encodeSend(outsideWindow, customer) }
}

function toldApart(saying: Saying, opened: OpenedSend, room: SayRoom): void {
  room.report.diverged(opened.send, saying.slot)
  const sameCustomer = opened.send.customer === recipient(saying.to)
  if (sameCustomer && !room.strict && saying.cause !== APP) return
  throw new SwitchhookError(
    'diverged',
    `a message under the key of slot "${saying.slot}" was recorded with another text or for another customer: a rerun must say the same, so keep what varies in a stable value, or give the message a slot or key of its own`,
  )
}

function isOpen(send: SendRow): boolean {
  return send.state === 'ready' || send.state === 'attempting'
}

async function resultOf(opened: OpenedSend, settled: Settled | undefined, room: SayRoom): Promise<SendResult> {
  const row = (await room.store.send(opened.send.id)) ?? opened.send
  const send = await sendOf(room.store, row)
  if (row.state === 'refused') throw refusal(row, settled?.error)
  if (row.state !== 'accepted') return { via: 'stored', send }
  const replayed = settled ? settled.replayed : opened.found === 'known'
  return { via: row.via, send, replayed, diverged: opened.diverged }
}

function refusal(row: SendRow, error: ApiError | undefined): Error {
  if (isOutsideWindow({ code: row.code })) return new OutsideWindow({ cause: error })
  return (
    error ??
    new SwitchhookError('api_error', `the service refused the send: ${row.code ?? 'no code'}; ${row.reason ?? ''}`)
  )
}

/** The cause of what answers nothing: the app's own key says what it is about, so one key is one message. */
export const APP = 'app'

function isTemplate(content: Content | Template): boolean {
  return typeof content !== 'string' && content.kind === 'template'
}

/** Waits for the outbox of this process, and looks at the table in case another process settles the send. */
async function settlementOf(id: string, room: SayRoom): Promise<Settled | undefined> {
  const until = room.clock.wall() + WAIT_MS
  while (room.clock.wall() < until) {
    const settled = await room.outbox.settled(id, LOOK_EVERY_MS)
    if (settled) return settled
    const row = await room.store.send(id)
    if (row && !isOpen(row)) return undefined
  }
  return undefined
}
