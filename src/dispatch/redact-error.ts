import { maskPhone } from '../base/mask.ts'
import { reasonOf } from '../base/errors.ts'
import type { StartedItem } from '../stores/port/index.ts'

type About = Pick<StartedItem, 'customer' | 'facts'>

/** Shorter texts say nothing of a person, and may be part of any word. */
const TELLING_CHARACTERS = 4
/** What people write between the digits of a number. */
const BETWEEN = String.raw`[ ().\-]{0,3}`

/** A handler's own error often names whom it was about, or what they wrote: the log does not. */
export function redact(words: string, { customer, facts }: About): string {
  const text = (JSON.parse(facts) as { values: { text?: string } }).values.text?.trim() ?? ''
  const untold = text.length < TELLING_CHARACTERS ? words : words.replaceAll(text, '[text]')
  if (customer === undefined) return untold
  return untold.replace(new RegExp(Array.from(customer).join(BETWEEN), 'g'), maskPhone(customer))
}

/** The same of a whole error: its name, message and stack. What it carries besides may be anything. */
export function redactError(error: unknown, about: About): { name: string; message: string; stack?: string } {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: undefined }
  return {
    name,
    message: redact(reasonOf(error), about),
    ...(stack !== undefined && { stack: redact(stack, about) }),
  }
}
