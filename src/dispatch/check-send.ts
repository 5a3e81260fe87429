import { SwitchhookError } from '../base/errors.ts'
import { recipient } from '../content/index.ts'
import type { SendKey, SendOptions } from '../routes/index.ts'

const KNOWN = ['key', 'outsideWindow', 'ref', 'at', 'wait']

/** The options of a send, with its key as a list of texts. */
export type CheckedSend = Omit<SendOptions, 'key'> & { readonly key: readonly string[] }

/**
 * Refuses what would be sent under no key or under one that says nothing: two such messages would be taken for one.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedSend(options: SendOptions): CheckedSend {
  const { key, ...rest } = options ?? {}
  return { ...checkedOptions(options), ...rest, key: keyIn(key) }
}

/**
 * The same without a key, which comes from the cause.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedOptions<O extends Omit<SendOptions, 'key'>>(options: O): O {
  if (typeof options !== 'object' || options === null)
    throw refuse(`expected { key: ['order', id, 'ready'] }, what the message is about; got ${typeof options}`)
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) throw refuse(`there is no option "${unknown}"; there are ${KNOWN.join(', ')}`)
  const { outsideWindow, at, wait } = options
  if (outsideWindow !== undefined && outsideWindow.kind !== 'template')
    throw refuse('outsideWindow: expected a template, as template() makes one')
  if (at !== undefined && !(at instanceof Date && Number.isFinite(at.getTime())))
    throw refuse('at: expected a Date at which it goes out')
  if (wait !== undefined && wait !== 'accepted' && wait !== 'stored')
    throw refuse("wait: expected 'accepted' or 'stored'")
  return options
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
  return typeof part === 'number' ? Number.isFinite(part) : typeof part === 'string' && part.trim() !== ''
}

function refuse(why: string): SwitchhookError {
  return new SwitchhookError('options_invalid', `send(): ${why}`)
}

/** Who is meant, however it is written: who it goes to is part of a slot, and may come in any order. */
export function digitsOf(customer: string): string {
  try {
    return recipient(customer)
  } catch {
    // It is refused where it is sent.
    return customer
  }
}
