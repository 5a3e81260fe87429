import type { EventName } from '../../contract/index.ts'
import type { Model } from '../model/model.ts'
import type { Inbound } from '../model/thread.ts'
import { type DeclaredFacts, declaredPayload } from './declared.ts'
import { type About, shapeFor } from './event.ts'
import type { EventFacts } from './fixture.ts'
import { type MappedPaths, writeMapped } from './mapped.ts'
import { RECEIVED_SHAPES } from './received.ts'
import type { Recorded } from './recorded.ts'
import { STATUS_SHAPES, type StatusFacts } from './status.ts'

type Turns = Pick<Model, 'turn' | 'assumptions'>

/** The payloads of events: in the service's recorded shapes where there are any, else in one that is made up. */
export interface Payloads {
  received(turns: Turns, message: Inbound, about: About): object
  status(turns: Turns, facts: StatusFacts, about: About): object
  declared(turns: Turns, name: EventName, facts: DeclaredFacts, about: About): object
  /** Has made-up payloads hold each fact at the path where the app reads it, by event. */
  map(paths: Readonly<Record<string, MappedPaths>>): void
}

export function createPayloads(recorded: Recorded): Payloads {
  const mapped = new Map<string, MappedPaths>()
  const payloadOf = ({ turn }: Turns, event: string, facts: EventFacts, about: About, madeUp: () => object) => {
    const found = recorded.payload(turn, event, facts, about)
    if (found) return found
    const paths = mapped.get(event)
    return paths ? writeMapped(madeUp(), paths, { ...facts, numberId: about.number.id }) : madeUp()
  }
  return {
    received: (turns, message, about) =>
      payloadOf(turns, 'message.received', receivedFacts(message), about, () => {
        const { turn, assumptions } = turns
        return shapeFor(RECEIVED_SHAPES, turn.received++, assumptions.payloadShape)(message, about)
      }),
    status: (turns, facts, about) =>
      payloadOf(turns, 'message.status', { ...facts }, about, () => {
        const { turn, assumptions } = turns
        return shapeFor(STATUS_SHAPES, turn.status++, assumptions.payloadShape)(facts, about)
      }),
    declared: (turns, name, facts, about) =>
      payloadOf(turns, name, declaredFacts(name, facts, about), about, () =>
        declaredPayload(turns, name, facts, about),
      ),
    map(paths) {
      for (const [event, of] of Object.entries(paths)) mapped.set(event, of)
    },
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
