import { STATUSES } from '../../../service/contract.ts'
import { INBOUND_MEDIA_KINDS, type InboundKind, KNOWN_KINDS, type SignalKind } from '../../../service/message-kinds.ts'
import { isRecord } from '../../../base/value.ts'
import type { Words } from './facts.ts'
import { idOf, isEventName, momentOf, wordOf, wordsOf, yesOf } from './values.ts'

// What payloads call a kind, a status, an edit, and a message of the number itself.

const OTHER_WORDS: Partial<Record<InboundKind | SignalKind, string>> = {
  audio: 'voice ptt',
  document: 'file',
  text: 'chat conversation extendedtext',
  location: 'live_location livelocation venue',
  contacts: 'contact contact_card contactsarray vcard multi_vcard',
  reaction: 'reacted react reactions emoji_reaction unreact unreaction reaction_removed',
  edited: 'edit edits edited_text protocol_edit message_edit',
  deleted: 'delete deletion deletes revoke revoked unsend unsent removed recall recalled',
  call: 'calls call_log missed_call voice_call video_call',
  system: `notification notification_template e2e_notification system_notification system_event gp2 protocol
    request_welcome number_changed user_changed_number`,
  unknown: 'unsupported not_supported unsupported_type ciphertext',
}

export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_WORDS).flatMap(([kind, words]) => wordsOf(words).map((word) => [word, kind] as const)),
)

/** `reactionMessage`, `message_deleted`. */
const AROUND = /^(?:message|msg)[_-]|[_-]?(?:message|msg)$/g

/** Reads a kind, by one name for each. Undefined for an event's name and a media type. */
export function kindOf(value: unknown, words?: Words): string | undefined {
  const word = wordOf(typeof value === 'number' ? String(value) : value)
  const meant = word === undefined ? undefined : words?.kinds.get(word)
  if (meant !== undefined) return meant
  if (word === undefined || typeof value === 'number' || word.includes('/') || isEventName(word)) return undefined
  const bare = String(word).replaceAll(AROUND, '')
  return SYNONYMS.get(word) ?? SYNONYMS.get(bare) ?? (KNOWN_KINDS.has(bare) ? bare : word)
}

const MEDIA_KINDS: ReadonlySet<string> = new Set([...INBOUND_MEDIA_KINDS, 'sticker'])

export function isMediaKind(kind: string | undefined): kind is string {
  return kind !== undefined && MEDIA_KINDS.has(kind)
}

/** Reads a mark such as `edited: true`. An edit often has its message's kind. */
export function markOf<K extends 'edited' | 'deleted'>(kind: K): (value: unknown) => K | undefined {
  return (value) => {
    const isMarked = isRecord(value) || (yesOf(value) ?? (Number(value) !== 0 && momentOf(value) !== undefined))
    return isMarked ? kind : undefined
  }
}

export function changeOf(value: unknown): 'edited' | 'deleted' | undefined {
  const kind = kindOf(value)
  return kind === 'edited' || kind === 'deleted' ? kind : undefined
}

const STATUS_WORDS: ReadonlySet<string> = new Set(STATUSES)

export function isKnownStatus(status: string): boolean {
  return STATUS_WORDS.has(status)
}

/** A number stays, because services disagree on its meaning. */
export function statusOf(value: unknown, words?: Words): string | undefined {
  const word = typeof value === 'number' ? idOf(value) : wordOf(value)
  return word === undefined ? undefined : (words?.statuses.get(word) ?? word)
}

export function knownStatusOf(value: unknown, words?: Words): string | undefined {
  const status = statusOf(value, words)
  return status !== undefined && isKnownStatus(status) ? status : undefined
}

export function templateStatusOf(value: unknown): string | undefined {
  return isEventName(value) ? undefined : wordOf(value)
}

const DIRECTION = /^\s*(?:(out)|in)(?:$|[^a-z]|bound|coming|going)/i
/** Words for the number's own side. Not `human`, which may be the customer. */
const OURS = /^\s*(?:business|business_app|agent|ai_agent|operator|dashboard|echo)\s*$/i

/** True if the value says that the number itself wrote the message; undefined if it says nothing. */
export function echoOf(value: unknown): boolean | undefined {
  const direction = typeof value === 'string' ? DIRECTION.exec(value) : null
  if (direction) return direction[1] !== undefined
  return typeof value === 'string' && OURS.test(value) ? true : yesOf(value)
}
