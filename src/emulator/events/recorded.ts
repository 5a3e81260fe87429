import type { Model } from '../model/model.ts'
import { type About, shapeFor } from './event.ts'
import { fillFixture, stepsOf, valueAt } from './fill-fixture.ts'
import type { EventFacts, Fixture } from './fixture.ts'

/** The service's own payloads, where the emulator was given recordings of them. */
export interface Recorded {
  /**
   * The event in a recorded shape of it; undefined if none can hold what the event says. A shape that lacks a place
   * for the customer or for what was said would be another event.
   */
  payload(turn: Model['turn'], event: string, facts: EventFacts, about: About): object | undefined
}

/** `warn` is called once for each kind of event for which other shapes are recorded, and no fitting one. */
export function createRecorded(
  fixtures: readonly Fixture[],
  assumptions: Pick<Model['assumptions'], 'payloadShape'>,
  warn: (message: string) => void,
): Recorded {
  const warned = new Set<string>()
  const tell = (event: string, facts: EventFacts): undefined => {
    const what = `${event} with ${MUST_FIT.filter((fact) => facts[fact] !== undefined).join(', ')}`
    if (warned.has(what)) return
    warned.add(what)
    warn(`No recorded payload fits a ${what}: it is sent in a shape that the emulator made up.`)
  }
  return {
    payload(turn, event, facts, about) {
      const recorded = fixtures.filter((fixture) => fixture.event === event)
      if (recorded.length === 0) return undefined
      const fitting = recorded.filter((fixture) => fits(fixture, facts))
      if (fitting.length === 0) return tell(event, facts)
      const alike = fitting.filter((fixture) => isAlike(fixture, facts))
      const fixture = shapeFor(alike.length > 0 ? alike : fitting, turn[turnOf(event)]++, assumptions.payloadShape)
      return fillFixture(fixture, { ...facts, numberId: about.number.id, eventId: about.eventId })
    },
  }
}

/** Tells whether the service's messages have numbers as ids. */
export function haveNumericIds(fixtures: readonly Fixture[]): boolean {
  return fixtures.some((fixture) => typeof valueAt(fixture, 'messageId') === 'number')
}

function turnOf(event: string): 'received' | 'status' | 'declared' {
  if (event === 'message.received') return 'received'
  return event === 'message.status' ? 'status' : 'declared'
}

/** Facts without which an event would say something else: a fixture has their places, and of the last ones no others. */
const MUST_FIT = ['customer', 'status', 'text', 'tapped.id', 'media.url', 'media.caption', 'failureReason']
const CONTENT = MUST_FIT.slice(2)

function fits(fixture: Fixture, facts: EventFacts): boolean {
  const places = fixture.facts
  if (MUST_FIT.some((fact) => facts[fact] !== undefined && places[fact] === undefined)) return false
  if (CONTENT.some((fact) => facts[fact] === undefined && places[fact] !== undefined)) return false
  const hasId = places['messageId'] !== undefined || places['upstreamId'] !== undefined
  if (facts['messageId'] !== undefined && !hasId) return false
  // A written or tapped message is recognised by its facts, because the service may call its kind by any word.
  const isClear = fixture.event === 'message.received' && facts['media.url'] === undefined
  return isClear || facts['kind'] === undefined || kindOf(fixture) === facts['kind']
}

const SYNONYMS: Readonly<Record<string, string>> = { voice: 'audio', ptt: 'audio', file: 'document' }

function kindOf(fixture: Fixture): unknown {
  const kind = valueAt(fixture, 'kind')
  if (typeof kind !== 'string') return undefined
  const word = kind.toLowerCase()
  return SYNONYMS[word] ?? word
}

/** Of fixtures that fit, those of the same status, or of the same kind of tap, are preferred. */
function isAlike(fixture: Fixture, facts: EventFacts): boolean {
  const { status, tap } = facts
  if (status !== undefined) return String(valueAt(fixture, 'status')).toLowerCase() === String(status).toLowerCase()
  return tap === undefined || tapOf(fixture) === tap
}

function tapOf({ facts, payload }: Fixture): string {
  const place = facts['tapped.id'] ?? ''
  if (/payload|quick|postback/i.test(place)) return 'quick_reply'
  let [value, types]: [unknown, string] = [payload, '']
  for (const step of stepsOf(place)) {
    if (typeof value !== 'object' || value === null) break
    types += ` ${String((value as { type?: unknown }).type)}`
    value = (value as Record<string, unknown>)[step]
  }
  return /list|row/i.test(place + types) ? 'list_reply' : 'button_reply'
}
