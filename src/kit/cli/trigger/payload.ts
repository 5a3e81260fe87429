import { optionsInvalid } from '../../../base/errors.ts'
import { parseJson } from '../../../base/value.ts'
import { type EventName, EVENTS } from '../../../service/contract.ts'
import { examplePayload } from '../../../emulator/events/examples.ts'
import { RECEIVED_SHAPES } from '../../../emulator/events/received.ts'
import { firstNumber } from '../../../emulator/model/account.ts'
import { resolveOptions } from '../../../emulator/emulator-options.ts'
import { createWorld } from '../../../emulator/world.ts'
import { readInput } from '../support/files.ts'
import type { Io } from '../support/io.ts'

export interface Payload {
  readonly event: string
  readonly body: Buffer
  /** True if exactly these bytes are to be delivered, rather than any payload of the event. */
  readonly exact: boolean
}

export interface CustomerMessage {
  readonly from: string
  readonly number?: string
  readonly text?: string
  readonly tap?: string
}

export interface PayloadFlags extends CustomerMessage {
  readonly data?: string
}

/**
 * Returns a function that makes a payload: a new one for each call, except with `--data`. Undefined without an event.
 */
export async function payloadsFrom(
  io: Io,
  named: string | undefined,
  wanted: PayloadFlags,
): Promise<(() => Payload) | undefined> {
  const { data } = wanted
  if (data !== undefined) {
    const payload = fromData(named, await readInput(io, data, '--data'))
    return () => payload
  }
  if (named === undefined) return undefined
  return () => ({ event: named, body: bytesOf(examplePayloadOf(named, wanted)), exact: false })
}

/** The payload in a file: the file's own bytes, or the content of a fixture. */
function fromData(named: string | undefined, bytes: Buffer): Payload {
  // A program before the pipe that fails prints nothing.
  if (bytes.length === 0) throw optionsInvalid('--data: it is empty; expected the payload')
  const fixture = fixtureIn(parseJson(bytes.toString('utf8')))
  const event = named ?? fixture?.event
  if (event === undefined) throw optionsInvalid('--data: pass the event, because the payload does not name it')
  return { event, body: fixture === undefined ? bytes : bytesOf(fixture.payload), exact: true }
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
