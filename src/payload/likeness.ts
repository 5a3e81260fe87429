import { Names, wordsOf } from './names.ts'

/** Members that lead towards the message, in the order in which they are tried. */
const STEPS = wordsOf(`data payload message object record attributes value body event
  statuses messages results items entry changes`)

/** Members of a message that an envelope has too. */
const GENERIC = wordsOf('type kind status timestamp occurred_at')

/** Members that tell a message from its envelope: who, which and when. */
const TELLING = wordsOf(`from to sender recipient recipient_id direction customer_phone wa_id
  message_id wa_message_id wamid received_at sent_at delivered_at read_at played_at failed_at`)

/** Members that say something: an object that has one is no mere holder of messages. */
const SPEAKING = wordsOf(`message_type content text body message caption interactive button payload
  image audio voice video document sticker location media_url
  new_status message_status delivery_status failure_reason`)

export interface Meaning {
  /** Its place among the steps. */
  readonly step?: number
  readonly likeness?: 'generic' | 'telling' | 'speaking'
}

/** What a member's name says about the object that holds it. */
export const MEANINGS: Names<Meaning> = new Names(meanings())

function meanings(): Map<string, Meaning> {
  const all = new Map<string, Meaning>()
  for (const name of GENERIC) all.set(name, { likeness: 'generic' })
  for (const name of TELLING) all.set(name, { likeness: 'telling' })
  for (const name of SPEAKING) all.set(name, { likeness: 'speaking' })
  for (const [step, name] of STEPS.entries()) all.set(name, { ...all.get(name), step })
  return all
}

/** Whether a member is message-like: `message` or `body` as an object is a wrapper, `type` may name the event. */
export function isMessageLike(meaning: Meaning, value: unknown): boolean {
  if (meaning.likeness === undefined) return false
  if (meaning.step !== undefined) return typeof value === 'string'
  return meaning.likeness !== 'generic' || !isEventName(value)
}

const EVENT_NAME = /^[a-z][a-z\d_-]*(?:\.[a-z\d_-]+)+$/i

/** A name with dots in it, such as `message.received`, is an event's; never a kind, a status or a time. */
export function isEventName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 100 && EVENT_NAME.test(value)
}
