import { type Control, ControlRefused } from '../control.ts'
import { GREETING } from './example.ts'
import type { Payload } from './payload.ts'

interface Said {
  readonly from: string
  readonly text?: string
  readonly tap?: string
}

interface Happened {
  readonly deliveryIds: readonly string[]
}

/** Lets an event happen in the emulator; answers the ids of its deliveries. */
export async function happen(emulator: Control, made: Payload, said: Said): Promise<readonly string[]> {
  const { deliveryIds } = await (made.exact ? fired(emulator, made, said) : lived(emulator, made.event, said))
  return deliveryIds
}

/** These very bytes, whatever they say: nothing else changes. */
function fired(emulator: Control, { event, body }: Payload, { from }: Said): Promise<Happened> {
  return emulator.change('POST', 'events', { event, raw: body.toString('utf8'), customer: from })
}

/** What the customer does, where the event is of a customer's doing: then the phone shows it too. */
function lived(emulator: Control, event: string, said: Said): Promise<Happened> {
  const customer = `customers/${said.from}`
  if (event === 'message.received') return writes(emulator, customer, said)
  if (event === 'order.paid') return emulator.change('POST', `${customer}/orders`)
  if (event === 'conversation.escalated') return emulator.change('POST', `${customer}/escalate`)
  return emulator.change('POST', 'events', { event, customer: said.from })
}

async function writes(emulator: Control, customer: string, { text = GREETING, tap }: Said): Promise<Happened> {
  const write = (what: object) => emulator.change<Happened>('POST', `${customer}/messages`, what)
  if (tap === undefined) return write({ text })
  try {
    return await write({ tap })
  } catch (error) {
    if (!(error instanceof ControlRefused && error.code === 'not_on_phone')) throw error
    process.stderr.write(`The phone shows no option ${tap}; it is tapped all the same.\n`)
    return write({ tap: { id: tap } })
  }
}
