import type { EventName } from '../../service/delivery.ts'
import type { Model } from '../model/model.ts'
import type { Inbound } from '../model/thread.ts'
import { type About, type DeclaredFacts, DECLARED_SHAPES } from './event.ts'
import { type EventFacts, type FactPaths, type FactSources, type Finder, type Words, writeFacts } from './facts.ts'
import { fillFixture, withFoundFacts, type Fixture, fixturesFor, neededFacts, factsWithoutPath } from './fixtures.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { RECEIVED_SHAPES } from './received.ts'
import { iso } from '../model/emulated-clock.ts'

export type Payloads = ReturnType<typeof createPayloads>

/** `warn` is called once for each kind of event that gets a made-up shape although there are fixtures of the event. */
export function createPayloads(
  fixtures: readonly Fixture[],
  { rotation, assumptions }: Pick<Model, 'rotation' | 'assumptions'>,
  warn: (message: string) => void,
) {
  const mapped = new Map<string, Mapped>()
  const warned = new Set<string>()
  let isMadeUp = true

  const shapeOf = <T>(event: string, shapes: readonly T[]): T => {
    const { payloadShape } = assumptions
    return shapes[(payloadShape === 'rotate' ? rotation(event) : payloadShape) % shapes.length] as T
  }
  const warnAbout = (event: string, facts: EventFacts): void => {
    const what = `${event} with ${neededFacts(facts).join(', ')}`
    const isExpected = event === 'message.received' || fixtures.some((fixture) => fixture.event === event)
    if (fixtures.length === 0 || !isExpected || warned.has(what)) return
    warned.add(what)
    warn(`No recorded payload fits a ${what}: it is sent in a shape that the emulator made up.`)
  }
  const payloadOf = (event: string, facts: EventFacts, { number, eventId }: About, madeUp: () => object): object => {
    const { paths, words, known } = mapped.get(event) ?? { paths: undefined, words: {}, known: fixtures }
    const all = { ...inWords(facts, words), numberId: number.id, eventId }
    const fitting = fixturesFor(known, event, facts, words)
    if (fitting.length > 0) return fillFixture(shapeOf(event, fitting), all)
    if (!isMadeUp && fixtures.length > 0 && event === 'message.received')
      throw optionsInvalid(
        `payloads: no fixture has a place for ${factsWithoutPath(known, event, facts).join(', ')} of a message of the kind ` +
          `${facts['kind']}: write one to the bot and run \`switchhook payload export\`, or allow a made-up payload with madeUp: true`,
      )
    warnAbout(event, facts)
    return paths ? writeFacts(madeUp(), paths, all) : madeUp()
  }

  return {
    received: (message: Inbound, about: About) =>
      payloadOf('message.received', receivedFacts(message), about, () =>
        shapeOf('message.received', RECEIVED_SHAPES)(message, about),
      ),
    status: (facts: StatusFacts, about: About) =>
      payloadOf('message.status', { ...facts }, about, () => shapeOf('message.status', STATUS_SHAPES)(facts, about)),
    declared: (name: EventName, facts: DeclaredFacts, about: About) =>
      payloadOf(name, declaredFacts(name, facts, about), about, () =>
        shapeOf(name, DECLARED_SHAPES)(name, facts, about),
      ),
    /** After this call, payloads have each fact where the app reads it. `sources`: how the app reads each event. */
    map(sources: Readonly<Record<string, FactSources>>, o: { readonly madeUp?: boolean } = {}): void {
      isMadeUp = o.madeUp ?? isMadeUp
      for (const [event, of] of Object.entries(sources)) mapped.set(event, mappedBy(of, fixtures))
    },
  }
}

interface Mapped {
  readonly paths: FactPaths
  readonly words: Words
  readonly known: readonly Fixture[]
}

function mappedBy(sources: FactSources, fixtures: readonly Fixture[]): Mapped {
  const paths: Record<string, FactPaths[string]> = {}
  const finders: Record<string, Finder> = {}
  let words: Words = {}
  for (const [name, source] of Object.entries(sources))
    if (typeof source === 'function') finders[name] = source
    else if (typeof source === 'string' || Array.isArray(source)) paths[name] = source as FactPaths[string]
    else words = source as Words
  return { paths, words, known: fixtures.map((fixture) => withFoundFacts(fixture, finders)) }
}

/** Replaces the kind and the status by the service's own words. */
function inWords(facts: EventFacts, words: Words): EventFacts {
  const own = (meant: unknown) => Object.keys(words).find((word) => words[word] === meant)
  const { kind, status } = facts
  return { ...facts, ...(kind && { kind: own(kind) ?? kind }), ...(status && { status: own(status) ?? status }) }
}

function receivedFacts(message: Inbound): EventFacts {
  const { id, upstreamId, customer, name, kind, at, text, tapped, quickReply, media, location, reaction } = message
  return {
    name,
    'location.latitude': location?.latitude,
    'location.longitude': location?.longitude,
    'location.name': location?.name,
    'location.address': location?.address,
    'reaction.emoji': reaction?.emoji,
    'reaction.to': reaction?.to,
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

export interface StatusFacts {
  readonly messageId: string
  readonly upstreamId: string
  readonly customer: string
  readonly messageType: string
  readonly status: string
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly createdAt: number
  readonly failureReason?: string
}

type StatusShape = (facts: StatusFacts, about: About) => object

const STATUS_SHAPES: readonly StatusShape[] = [flat, statusesList, eventWithData]

const EVENT = 'message.status'

function flat(facts: StatusFacts): object {
  return {
    message_id: facts.messageId,
    wa_message_id: facts.upstreamId,
    to: facts.customer,
    status: facts.status,
    ...failure(facts),
    timestamp: String(Math.floor(facts.at / 1_000)),
  }
}

function statusesList(facts: StatusFacts, { number }: About): object {
  return {
    type: EVENT,
    data: {
      phone_number_id: number.id,
      statuses: [
        {
          message_id: facts.messageId,
          id: facts.upstreamId,
          recipient_id: facts.customer,
          status: facts.status,
          ...failure(facts),
          timestamp: String(Math.floor(facts.at / 1_000)),
        },
      ],
    },
  }
}

function eventWithData(facts: StatusFacts, { eventId, now }: About): object {
  return {
    id: eventId,
    event: EVENT,
    created_at: iso(now),
    data: {
      message_id: facts.messageId,
      wa_message_id: facts.upstreamId,
      recipient: facts.customer,
      status: facts.status,
      ...failure(facts),
      [`${facts.status.toLowerCase()}_at`]: iso(facts.at),
    },
  }
}

function failure({ failureReason }: StatusFacts): { failure_reason?: string } {
  return failureReason === undefined ? {} : { failure_reason: failureReason }
}
