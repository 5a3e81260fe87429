import { type Duration, toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import { kindOf } from '../base/value.ts'
import { recipient } from '../content/index.ts'
import type { ReplyOptions, SendKey, SendOptions } from '../routes/index.ts'

const OF_SEND = ['key', 'outsideWindow', 'ref', 'at', 'wait']
const OF_SEND_IN_HANDLER = OF_SEND.filter((name) => name !== 'key')
const OF_REPLY = ['outsideWindow', 'slot', 'ref']

/** The options of a send, with its key as a list of texts. */
export type CheckedSend = Omit<SendOptions, 'key'> & { readonly key: readonly string[] }

/**
 * Refuses what would be sent under no key or under one that says nothing: two such messages would be taken for one.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedSend(options: SendOptions): CheckedSend {
  if (typeof options !== 'object' || options === null)
    throw refuse(`expected { key: ['order', id, 'ready'] }, what the message is about; got ${kindOf(options)}`)
  checkNames('send', options, OF_SEND)
  checkWhen(options)
  return { ...options, key: keyIn(options.key) }
}

/**
 * The same without a key, which comes from the cause.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedInHandler<O extends Omit<SendOptions, 'key'>>(options: O): O {
  if (typeof options !== 'object' || options === null) throw refuse(`expected an object, got ${kindOf(options)}`)
  if ('key' in options)
    throw refuse('key: in a handler it comes from what is being handled; bot.to(…) takes a key of your own')
  checkNames('send', options, OF_SEND_IN_HANDLER)
  checkWhen(options)
  return options
}

/**
 * The same of a reply: a fallback under a name that nobody reads would be missed only when the window is closed.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedReply(options: ReplyOptions): ReplyOptions {
  if (typeof options !== 'object' || options === null)
    throw refuse(`expected an object, got ${kindOf(options)}`, 'reply')
  checkNames('reply', options, OF_REPLY)
  const { slot } = options
  if (slot !== undefined && !isFilled(slot)) throw refuse('slot: expected some text that names this reply', 'reply')
  return options
}

type Method = 'send' | 'reply'

/** What replies and sends have in common. */
function checkNames(method: Method, options: Pick<SendOptions, 'outsideWindow' | 'ref'>, known: readonly string[]) {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw refuse(`there is no option "${unknown}"; there are ${known.join(', ')}`, method)
  const { outsideWindow, ref } = options
  if (outsideWindow !== undefined && outsideWindow?.kind !== 'template')
    throw refuse('outsideWindow: expected a template, as template() makes one', method)
  // A number would come back as another text: '7781.0'.
  if (ref !== undefined && typeof ref !== 'string')
    throw refuse(`ref: expected a text, such as String(order.id), got ${typeof ref}`, method)
}

function checkWhen({ at, wait }: Pick<SendOptions, 'at' | 'wait'>): void {
  // A number could be either, a time or a span.
  if (at !== undefined && !isTime(at) && !isSpan(at))
    throw refuse("at: expected a Date at which it goes out, or a span from now such as '24h'")
  if (wait !== undefined && wait !== 'accepted' && wait !== 'stored')
    throw refuse("wait: expected 'accepted' or 'stored'")
}

function isTime(at: unknown): boolean {
  return at instanceof Date && Number.isFinite(at.getTime())
}

/** Beyond it no Date can say when. */
const LONGEST_SPAN_MS = 8e15

function isSpan(at: unknown): boolean {
  if (typeof at !== 'string') return false
  try {
    return toMs(at as Duration) <= LONGEST_SPAN_MS
  } catch {
    return false
  }
}

/**
 * The key of a one-time code, which takes no other option: it is never stored, so it cannot wait.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedCodeKey(options: { key: SendKey }): string {
  const more = Object.keys(options ?? {}).find((name) => name !== 'key')
  if (more !== undefined)
    throw refuse(
      `${more}: a one-time code takes a key and nothing else, since it is in memory alone and goes out at once`,
    )
  return slotOf(options?.key)
}

/** The app's own key as the slot of what it sends. */
export function slotOf(key: unknown): string {
  return JSON.stringify(keyIn(key))
}

function keyIn(key: unknown): string[] {
  const parts: unknown[] = Array.isArray(key) ? key : [key]
  if (parts.length === 0 || !parts.every(isPart))
    throw refuse(
      "key: expected a text, or a list of texts and numbers that are not empty, such as ['order', 7781, 'ready']",
    )
  return parts.map(String)
}

function isPart(part: unknown): boolean {
  return typeof part === 'number' ? Number.isFinite(part) : isFilled(part)
}

function isFilled(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== ''
}

function refuse(why: string, method: Method = 'send'): SwitchhookError {
  return new SwitchhookError('options_invalid', `${method}(): ${why}`)
}

/** Who is meant, however it is written: who it goes to is part of a slot, and may come in any order. */
export function digitsOrAsWritten(customer: string): string {
  try {
    return recipient(customer)
  } catch {
    // It is refused where it is sent.
    return customer
  }
}
