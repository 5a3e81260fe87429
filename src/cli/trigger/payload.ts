import { optionsInvalid } from '../../base/errors.ts'
import { suggest } from '../../base/suggest.ts'
import { parseJson } from '../../base/value.ts'
import { type EventName, EVENTS } from '../../contract/index.ts'
import { examplePayload } from '../../emulator/events/examples.ts'
import { RECEIVED_SHAPES } from '../../emulator/events/received.ts'
import { firstNumber } from '../../emulator/model/account.ts'
import { resolveOptions } from '../../emulator/options.ts'
import { createWorld } from '../../emulator/world.ts'
import { readInput } from '../support/files.ts'
import type { Io } from '../support/io.ts'

export interface Payload {
  readonly event: string
  readonly body: Buffer
  /** True if exactly these bytes are to be delivered, rather than any payload of the event. */
  readonly exact: boolean
}

/** A message of a customer, or another event about them. */
export interface CustomerMessage {
  readonly from: string
  readonly number?: string
  readonly text?: string
  readonly tap?: string
}

export interface PayloadFlags extends CustomerMessage {
  readonly set: readonly string[]
  readonly data?: string
}

/** Returns a function that makes a payload, a new one each time except for `--data`; undefined without an event. */
export async function payloadsFrom(
  io: Io,
  named: string | undefined,
  wanted: PayloadFlags,
): Promise<(() => Payload) | undefined> {
  const { data, set } = wanted
  if (data !== undefined) {
    const payload = fromData(named, await readInput(io, data, '--data'), set)
    return () => payload
  }
  if (named === undefined) return undefined
  return () => ({ event: named, body: bytesOf(withSet(examplePayloadOf(named, wanted), set)), exact: set.length > 0 })
}

/** The payload in a file: the file's own bytes unless `--set` changes them, or the content of a fixture. */
function fromData(named: string | undefined, bytes: Buffer, set: readonly string[]): Payload {
  // A program before the pipe that fails prints nothing.
  if (bytes.length === 0) throw optionsInvalid('--data: it is empty; expected the payload')
  const json = parseJson(bytes.toString('utf8'))
  const fixture = fixtureIn(json)
  const event = named ?? fixture?.event
  if (event === undefined) throw optionsInvalid('--data: name the event, since the payload does not')
  if (fixture === undefined && set.length === 0) return { event, body: bytes, exact: true }
  const payload = fixture === undefined ? json : fixture.payload
  if (payload === undefined) throw optionsInvalid('--set: what --data holds is no JSON')
  return { event, body: bytesOf(withSet(payload, set)), exact: true }
}

/** A fixture as `payload export` writes it, `{"event":"…","payload":{…}}`; undefined for anything else. */
function fixtureIn(json: unknown): { event: string; payload: unknown } | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { event, payload, facts: _, ...others } = json as Record<string, unknown>
  if (Object.keys(others).length > 0) return undefined
  return typeof event === 'string' && typeof payload === 'object' ? { event, payload } : undefined
}

function bytesOf(payload: unknown): Buffer {
  return Buffer.from(JSON.stringify(payload))
}

/** The first of the emulator's payload shapes, so that paths for `--set` are the same each time. */
const SHAPE = 0

/** An example payload of an event, always in the same shape; for an unknown event only its name. */
function examplePayloadOf(event: string, written: CustomerMessage): unknown {
  const world = createWorld(resolveOptions({ assumptions: { payloadShape: SHAPE } }))
  try {
    const { state } = world
    const first = firstNumber(state.account)
    const number = { ...first, id: written.number ?? first.id }
    const about = { eventId: state.ids.event(), number, now: state.clock.now() }
    if (!Object.hasOwn(EVENTS, event)) return { id: about.eventId, event, data: {} }
    if (event !== 'message.received') return examplePayload(state, event as EventName, written.from, about)
    const message = { id: state.ids.message(), upstreamId: state.ids.upstream(), at: about.now }
    return RECEIVED_SHAPES[SHAPE]?.({ ...message, ...messageContent(written) }, about)
  } finally {
    world.close()
  }
}

function messageContent({ from, text, tap }: CustomerMessage) {
  const customer = { customer: from, name: `Customer ${from.slice(-3)}` }
  if (tap === undefined) return { ...customer, kind: 'text' as const, text: text ?? GREETING }
  return { ...customer, kind: 'interactive' as const, tapped: { type: 'button_reply' as const, id: tap, title: tap } }
}

/** The customer's text if no flag gives one. */
export const GREETING = 'Habari'

/**
 * Applies changes such as `data.from=255712000101` or `items.0.id=7` to a payload. A value gets the type of the value
 * that it replaces; in place of null it is JSON if it parses, else a text. `path:=json` sets any JSON.
 *
 * @throws SwitchhookError `options_invalid` if the payload has no such path, or if the value is of another type.
 */
function withSet(payload: unknown, changes: readonly string[]): unknown {
  const changed: unknown = structuredClone(payload)
  for (const change of changes) set(changed, change)
  return changed
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly name: string
}

function set(payload: unknown, change: string): void {
  const [, path = '', colon, text = ''] = /^([^=]*?)(:?)=(.*)$/s.exec(change) ?? []
  if (path === '')
    throw optionsInvalid(`--set: expected path=value, such as data.content=hours, got ${JSON.stringify(change)}`)
  // Looked up by its whole path, so that a path that does not exist changes nothing.
  const places = new Map(placesIn(payload, ''))
  const place = places.get(path)
  if (place === undefined) throw optionsInvalid(`--set: the payload has no ${path}${advice(path, [...places.keys()])}`)
  place.holder[place.name] = colon === ':' ? json(text, path) : likeBefore(place.holder[place.name], text, path)
}

function* placesIn(value: unknown, path: string): Iterable<[string, Place]> {
  if (typeof value !== 'object' || value === null) return
  const holder = value as Record<string, unknown>
  for (const name of Object.keys(holder)) {
    const place = path === '' ? name : `${path}.${name}`
    yield [place, { holder, name }]
    yield* placesIn(holder[name], place)
  }
}

function likeBefore(before: unknown, text: string, path: string): unknown {
  if (typeof before === 'string') return text
  if (before === null) return parseJson(text) === undefined ? text : parseJson(text)
  const value = json(text, path)
  if (typeof value === typeof before && Array.isArray(value) === Array.isArray(before)) return value
  const kind = Array.isArray(before) ? 'list' : typeof before
  throw optionsInvalid(`--set: ${path} is a value of type ${kind}; ${path}:=${text} changes the type`)
}

function json(text: string, path: string): unknown {
  const value = parseJson(text)
  if (value !== undefined) return value
  throw optionsInvalid(`--set: the value of ${path} must be JSON, got ${JSON.stringify(text)}`)
}

function advice(path: string, paths: readonly string[]): string {
  const near = suggest(path, paths)
  if (near.length > 0) return `; it has ${near.join(', ')}`
  return paths.length > 0 ? `; it has ${paths.slice(0, 12).join(', ')}${paths.length > 12 ? ', …' : ''}` : ''
}
