import type { EventName } from '../../contract/index.ts'
import type { Model } from '../model/model.ts'
import type { Inbound } from '../model/thread.ts'
import { type DeclaredFacts, declaredPayload } from './declared.ts'
import { type About, shapeFor } from './event.ts'
import type { EventFacts } from './fixture.ts'
import { RECEIVED_SHAPES } from './received.ts'
import type { Recorded } from './recorded.ts'
import { STATUS_SHAPES, type StatusFacts } from './status.ts'

type Turns = Pick<Model, 'turn' | 'assumptions'>

/** The payloads of events: in the service's recorded shapes where there are any, else in one that is made up. */
export interface Payloads {
  received(turns: Turns, message: Inbound, about: About): object
  status(turns: Turns, facts: StatusFacts, about: About): object
  declared(turns: Turns, name: EventName, facts: DeclaredFacts, about: About): object
}

export function createPayloads(recorded: Recorded): Payloads {
  return {
    received: ({ turn, assumptions }, message, about) =>
      recorded.payload(turn, 'message.received', receivedFacts(message), about) ??
      shapeFor(RECEIVED_SHAPES, turn.received++, assumptions.payloadShape)(message, about),
    status: ({ turn, assumptions }, facts, about) =>
      recorded.payload(turn, 'message.status', { ...facts }, about) ??
      shapeFor(STATUS_SHAPES, turn.status++, assumptions.payloadShape)(facts, about),
    declared: (turns, name, facts, about) =>
      recorded.payload(turns.turn, name, declaredFacts(name, facts, about), about) ??
      declaredPayload(turns, name, facts, about),
  }
}

function receivedFacts({ id, upstreamId, customer, kind, at, text, tapped, quickReply, media }: Inbound): EventFacts {
  return {
    messageId: id,
    upstreamId,
    customer,
    kind,
    at,
    text,
    tap: tapped?.type ?? (quickReply && 'quick_reply'),
    'tapped.id': tapped?.id ?? quickReply?.payload,
    'tapped.title': tapped?.title ?? quickReply?.title,
    'media.url': media?.url,
    'media.mime': media?.mime,
    'media.filename': media?.filename,
    'media.caption': media?.caption,
    'media.durationMs': media?.durationMs,
  }
}

/** The names in fixtures of the members that declared events have here. */
const FACT_OF_MEMBER: Readonly<Record<string, string>> = {
  message_id: 'messageId',
  wa_message_id: 'upstreamId',
  to: 'customer',
  customer_phone: 'customer',
  message_type: 'kind',
  content: 'text',
  status: 'status',
  media_url: 'media.url',
  media_mime_type: 'media.mime',
  media_filename: 'media.filename',
  template_id: 'template.id',
  template_name: 'template.name',
  template_language: 'template.language',
  previous_status: 'template.previousStatus',
}

function declaredFacts(name: EventName, members: DeclaredFacts, { now }: About): EventFacts {
  const facts = Object.entries(members).flatMap(([member, value]) => {
    const fact = name === 'template.status' && member === 'status' ? 'template.status' : FACT_OF_MEMBER[member]
    return fact !== undefined && typeof value === 'string' ? [[fact, value] as const] : []
  })
  const { message } = (members['error'] ?? {}) as { message?: string }
  return { at: now, ...Object.fromEntries(facts), ...(message !== undefined && { failureReason: message }) }
}
