import { maskPhone } from '../../base/mask.ts'
import { isHarmless, LONG_DIGITS } from './harmless.ts'

/** A payload's form without what it says: its members, and of each text its length alone. */
export function maskedPayload(value: unknown, name = ''): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return isHarmless(name, value) ? value : '[number]'
  if (typeof value === 'string') return isHarmless(name, value) ? value : lengthOf(value)
  if (Array.isArray(value)) return value.map((one) => maskedPayload(one, name))
  const members = Object.entries(value as object)
  return Object.fromEntries(members.map(([key, one]) => [maskedDigits(key), maskedPayload(one, key)]))
}

/** Facts that are no text, and lead to nobody: kinds and states in the service's words, our own number's id, times. */
const SHOWN_FACTS = new Set(['numberId', 'at'])

export function maskedFacts(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([fact, value]) => {
      if (fact === 'customer' && typeof value === 'string') return [fact, maskPhone(value)]
      return [fact, SHOWN_FACTS.has(fact) ? value : maskedPayload(value, fact)]
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
export function maskedReason(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined
  if (OWN_REASON.test(reason)) return maskedDigits(reason)
  const [kind] = KIND.exec(reason) ?? []
  return kind === undefined ? lengthOf(reason) : `${kind}: ${lengthOf(reason.slice(kind.length + 2))}`
}

function maskedDigits(text: string): string {
  return text.replaceAll(LONG_DIGITS, maskPhone)
}

function lengthOf(text: string): string {
  return `[${Array.from(text).length} characters]`
}
