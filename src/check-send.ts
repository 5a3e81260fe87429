import { SwitchhookError } from './base/errors.ts'
import type { SendOptions } from './dispatch/index.ts'

const KNOWN = ['key', 'outsideWindow', 'ref']

/** The options of a send, with its key as a list of texts. */
export type CheckedSend = Omit<SendOptions, 'key'> & { readonly key: readonly string[] }

/**
 * Refuses what would be sent under no key or under one that says nothing: two such messages would be taken for one.
 *
 * @throws SwitchhookError `options_invalid`
 */
export function checkedSend(options: SendOptions): CheckedSend {
  if (typeof options !== 'object' || options === null)
    throw refuse(`expected { key: ['order', id, 'ready'] }, what the message is about; got ${typeof options}`)
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) throw refuse(`there is no option "${unknown}"; there are ${KNOWN.join(', ')}`)
  const { outsideWindow } = options
  if (outsideWindow !== undefined && outsideWindow.kind !== 'template')
    throw refuse('outsideWindow: expected a template, as template() makes one')
  return { ...options, key: keyIn(options.key) }
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
