import { maskPhone } from '../../base/mask.ts'
import { plainName } from '../../payload/index.ts'

/** A payload's form without what it says: its members, and of each text its length alone. */
export function maskPayload(value: unknown, name = ''): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return isHarmless(name, value) ? value : '[number]'
  if (typeof value === 'string') return isHarmless(name, value) ? value : lengthOf(value)
  if (Array.isArray(value)) return value.map((one) => maskPayload(one, name))
  const members = Object.entries(value as object)
  return Object.fromEntries(members.map(([key, one]) => [maskDigits(key), maskPayload(one, key)]))
}

/** Facts that are no text, and lead to nobody: kinds and states in the service's words, our own number's id, times. */
const SHOWN_FACTS = new Set(['numberId', 'at'])

export function maskFacts(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([fact, value]) => {
      if (fact === 'customer' && typeof value === 'string') return [fact, maskPhone(value)]
      return [fact, SHOWN_FACTS.has(fact) ? value : maskPayload(value, fact)]
    }),
  )
}

/** What this library says of an item in words of its own. */
const OWN_REASON =
  /^(?:SwitchhookError: )?(?:fact_missing: \w{1,64}|number_unclear|number_mismatch|customer_number_hidden|forgotten$|(?:GiveUp: )?the process ended )/

const KIND = /^[A-Z]\w{0,63}(?=: )/

/**
 * Why an item failed, as far as it cannot repeat what somebody said: an error of the app's own, or of the service, shows
 * its kind and its length.
 */
export function maskReason(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined
  if (OWN_REASON.test(reason)) return maskDigits(reason)
  const [kind] = KIND.exec(reason) ?? []
  return kind === undefined ? lengthOf(reason) : `${kind}: ${lengthOf(reason.slice(kind.length + 2))}`
}

function maskDigits(text: string): string {
  return text.replaceAll(LONG_DIGITS, maskPhone)
}

function lengthOf(text: string): string {
  return `[${Array.from(text).length} characters]`
}

/** Names under which a payload says what it is, in the service's words. */
const WORDS = new Set(
  `object type kind event event_type event_name status direction message_type content_type mime_type category language
  new_status message_status delivery_status previous_status old_status`.split(/\s+/),
)

const WORD = /^[a-z][a-z\d]{0,31}(?:[._/-][a-z\d]{1,31}){0,4}$/i

const TIME_NAME = /(?:^|_)(?:at|time|timestamp)$/

const TIME =
  /^(?:\d{10}(?:\d{3}){0,2}(?:\.\d{1,9})?|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)$/

/** A run of digits that may be a phone number. */
export const LONG_DIGITS = /\d{6,}/g

/**
 * Whether a payload's member tells nothing about anybody: what kind of thing it is, or when it was. All else in a
 * payload was said by somebody, or may lead to them.
 */
export function isHarmless(name: string, value: string | number): boolean {
  const plain = plainName(name)
  if (TIME_NAME.test(plain)) return TIME.test(String(value))
  return typeof value === 'string' && WORDS.has(plain) && WORD.test(value) && value.search(LONG_DIGITS) < 0
}
