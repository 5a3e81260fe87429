import { type EventName, EVENTS } from '../../contract/index.ts'
import { examplePayload } from '../../emulator/events/examples.ts'
import { RECEIVED_SHAPES } from '../../emulator/events/received.ts'
import { resolveOptions } from '../../emulator/options.ts'
import { firstNumber } from '../../emulator/model/account.ts'
import { createWorld } from '../../emulator/world.ts'

export interface Written {
  readonly from: string
  readonly text?: string | undefined
  readonly tap?: string | undefined
}

/** Of the shapes in which an emulator says the same, the first: so that paths in it are the same each time. */
const SHAPE = 0

/** What an event says, in one shape always; of an event that nobody has heard of, its name alone. */
export function exampleOf(event: string, written: Written): unknown {
  const world = createWorld(resolveOptions({ assumptions: { payloadShape: SHAPE } }))
  try {
    const { state } = world
    const about = { eventId: state.ids.event(), number: firstNumber(state.account), now: state.clock.now() }
    if (!Object.hasOwn(EVENTS, event)) return { id: about.eventId, event, data: {} }
    if (event !== 'message.received') return examplePayload(state, event as EventName, written.from, about)
    const message = { id: state.ids.message(), upstreamId: state.ids.upstream(), at: about.now }
    return RECEIVED_SHAPES[SHAPE]?.({ ...message, ...said(written) }, about)
  } finally {
    world.close()
  }
}

function said({ from, text, tap }: Written) {
  const customer = { customer: from, name: `Customer ${from.slice(-3)}` }
  if (tap === undefined) return { ...customer, kind: 'text' as const, text: text ?? GREETING }
  return { ...customer, kind: 'interactive' as const, tapped: { type: 'button_reply' as const, id: tap, title: tap } }
}

/** What a customer writes of whom nothing else is said. */
export const GREETING = 'Habari'
