import { maskPhone } from '../base/mask.ts'
import { plainName, wordsOf } from '../bot/inbox/payload/values.ts'
import { EVENTS, STATUSES } from '../service/delivery.ts'
import { KNOWN_KINDS, OUTBOUND_KINDS } from '../service/message-kinds.ts'
import type { Failure } from '../store/work/items.ts'

const WORD = /^[a-z][a-z\d]{0,31}(?:[._/-][a-z\d]{1,31}){0,4}$/i

const NAME = /^[A-Z][a-z]/

const TIME_NAME = /(?:^|_)(?:at|time|timestamp)$/

const TIME =
  /^(?:\d{10}(?:\d{3}){0,2}(?:\.\d{1,9})?|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?)$/

export const LONG_DIGITS = /\d{6,}/g

/** True for a kind, a state or a time, which need no mask. Other values may be a person's text, or identify one. */
export function isHarmless(name: string, value: string | number): boolean {
  const plain = plainName(name)
  if (TIME_NAME.test(plain)) return TIME.test(String(value))
  if (typeof value !== 'string' || !MEMBERS.has(plainName(name)) || !WORD.test(value) || value.search(LONG_DIGITS) >= 0)
    return false
  return !NAME.test(value) || KNOWN.has(value.toLowerCase())
}

export interface Reveal {
  readonly reveal?: boolean | undefined
}

export function maskPayload(value: unknown, name = ''): unknown {
  return maskTexts(value, isHarmless, name)
}

/** Masks each text and number of a JSON value, unless `isShown` is true for it and the name of its member. */
export function maskTexts(
  value: unknown,
  isShown: (name: string, value: string | number) => boolean,
  name = '',
): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return isShown(name, value) ? value : '[number]'
  if (typeof value === 'string') return isShown(name, value) ? value : lengthOf(value)
  if (Array.isArray(value)) return value.map((one) => maskTexts(one, isShown, name))
  const members = Object.entries(value as object)
  return Object.fromEntries(members.map(([key, one]) => [maskDigits(key), maskTexts(one, isShown, key)]))
}

const SHOWN_FACTS = new Set(['numberId', 'at'])

export function maskFacts(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([fact, value]) => {
      if (fact === 'customer' && typeof value === 'string') return [fact, maskPhone(value)]
      return [fact, SHOWN_FACTS.has(fact) ? value : maskPayload(value, fact)]
    }),
  )
}

/** The beginnings of reasons in this library's own words. Such a reason is shown, with its digits masked. */
const OWN_REASON_OF_SEND =
  /^(?:an attempt was begun|it would have come too late|the customer (?:opted out|typed BOT)|the customer's 24-hour window|a person has this customer|this recipient is not in|the database was brought back|somebody (?:said|dropped)|POST \/messages (?:had no answer within|was ended by|got no answer: ))/

/** The beginning of an error that is shown: its class, the status and code of a refusal, or a number as its code. */
const KIND = /^(?:[A-Z]\w{0,63}|POST \/messages was refused: \d{3}(?: \w{1,64})?|\d{1,6})(?=: )/

/** An error of the service may repeat the message or name the customer, so only its kind and length are shown. */
export function maskReason(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined
  if (OWN_REASON_OF_SEND.test(reason)) return maskDigits(reason)
  const [kind] = KIND.exec(reason) ?? []
  return kind === undefined ? lengthOf(reason) : `${kind}: ${lengthOf(reason.slice(kind.length + 2))}`
}

const NOT_INGESTED = 'ingest_failed: '

/** Masks a note of a delivery. It is a code, or the error of an ingest, which may repeat the body. */
export function maskNote(note: string | undefined): string | undefined {
  if (!note?.startsWith(NOT_INGESTED)) return note
  return `${NOT_INGESTED}${lengthOf(note.slice(NOT_INGESTED.length))}`
}

const POSITION = /(?::\d+)*\)?$/

/** Masks digits: the name of a function, a route or a folder may contain a phone number. */
export function maskFailure({ attempt, route, frames }: Failure): Failure {
  const masked = (frame: string) => {
    const [position = ''] = POSITION.exec(frame) ?? []
    return `${maskDigits(frame.slice(0, frame.length - position.length))}${position}`
  }
  return { attempt, route: route && maskDigits(route), frames: frames.map(masked) }
}

export function maskDigits(text: string): string {
  return text.replaceAll(LONG_DIGITS, maskPhone)
}

export function lengthOf(text: string): string {
  return `[${Array.from(text).length} characters]`
}

/** Members whose values are the service's own words: kinds, states, names of events. */
const MEMBERS = new Set(
  wordsOf(`object type kind event event_type event_name status direction message_type content_type mime_type category
    language new_status message_status delivery_status previous_status old_status`),
)

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(EVENTS),
  ...KNOWN_KINDS,
  ...Object.keys(OUTBOUND_KINDS),
  ...STATUSES,
  ...wordsOf(`inbound outbound button_reply list_reply buttons list cta_url approved pending rejected paused disabled
    utility marketing authentication`),
])
