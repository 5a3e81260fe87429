import { createIds } from '../../emulator/model/ids.ts'
import type { Io } from '../support/io.ts'
import type { Outcome } from '../support/outcome.ts'
import {
  needSecret,
  postDelivery,
  prefixFrom,
  readReceiver,
  type ReceiverFlags,
  signedRequest,
} from '../support/receiver.ts'
import { type Control, ControlRefused } from '../support/running-emulator.ts'
import { type CustomerMessage, GREETING, type Payload } from './payload.ts'

interface Delivered {
  readonly deliveryIds: readonly string[]
}

/** Triggers an event in the emulator and resolves with the ids of its deliveries. */
export async function triggerInEmulator(
  io: Io,
  emulator: Control,
  made: Payload,
  said: CustomerMessage,
): Promise<readonly string[]> {
  const { deliveryIds } = await (made.exact
    ? fireRaw(emulator, made, said)
    : actAsCustomer(io, emulator, made.event, said))
  return deliveryIds
}

/** Delivers exactly these bytes; nothing else in the emulator changes. */
function fireRaw(emulator: Control, { event, body }: Payload, { from, number }: CustomerMessage): Promise<Delivered> {
  return emulator.change('POST', 'events', { event, raw: body.toString('utf8'), customer: from, number })
}

/** Acts as the customer if a customer causes the event, so that the phone shows it too. */
function actAsCustomer(io: Io, emulator: Control, event: string, said: CustomerMessage): Promise<Delivered> {
  const customer = `customers/${said.from}`
  if (event === 'message.received') return writeMessage(io, emulator, customer, said)
  const { from, number } = said
  if (event === 'order.paid') return emulator.change('POST', `${customer}/orders`, { number })
  if (event === 'conversation.escalated') return emulator.change('POST', `${customer}/escalate`, { number })
  return emulator.change('POST', 'events', { event, customer: from, number })
}

async function writeMessage(
  io: Io,
  emulator: Control,
  customer: string,
  { number, text = GREETING, tap }: CustomerMessage,
): Promise<Delivered> {
  const write = (what: object) => emulator.change<Delivered>('POST', `${customer}/messages`, { ...what, number })
  if (tap === undefined) return write({ text })
  try {
    return await write({ tap })
  } catch (error) {
    if (!(error instanceof ControlRefused && error.code === 'not_on_phone')) throw error
    io.err(`The phone shows no option ${tap}; it is tapped all the same.`)
    return write({ tap: { id: tap } })
  }
}

/** Signs deliveries with new ids and posts them one after the other. */
export async function postToUrl(
  io: Io,
  address: string,
  payloads: readonly Payload[],
  flags: ReceiverFlags,
): Promise<Outcome[]> {
  const url = readReceiver(address, '--url', flags)
  const [secret, prefix] = [needSecret(io, flags), prefixFrom(io, flags)]
  const ids = createIds(Math.random)
  const outcomes: Outcome[] = []
  for (const { event, body } of payloads) {
    const at = Date.now()
    const id = ids.delivery(at)
    outcomes.push({
      event,
      id,
      url,
      ...(await postDelivery(signedRequest({ url, event, id, body, secret, at, prefix }))),
    })
  }
  return outcomes
}
