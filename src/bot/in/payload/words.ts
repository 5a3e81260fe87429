import { EVENTS, INBOUND_KINDS, OUTBOUND_KINDS, STATUSES } from '../../../service/contract.ts'
import { plainName, wordsOf } from './names.ts'

/** Members whose values are the service's own words: kinds, states, names of events. */
const MEMBERS = new Set(
  wordsOf(`object type kind event event_type event_name status direction message_type content_type mime_type category
    language new_status message_status delivery_status previous_status old_status`),
)

export function holdsWords(member: string): boolean {
  return MEMBERS.has(plainName(member))
}

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(EVENTS),
  ...Object.keys(INBOUND_KINDS),
  ...Object.keys(OUTBOUND_KINDS),
  ...STATUSES,
  ...wordsOf(`inbound outbound button_reply list_reply buttons list cta_url approved pending rejected paused disabled
    utility marketing authentication`),
])

/** True if a value of such a member is a known word, so that it cannot be a person's name. */
export function isKnownWord(value: string): boolean {
  return KNOWN.has(value.toLowerCase())
}
