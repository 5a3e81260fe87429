import { createHmac } from 'node:crypto'
import type { View } from '../../../src/bot/inbox/payload/facts.ts'
import { readBody } from '../../../src/bot/inbox/payload/read-body.ts'
import { type App, header, type Received } from './app.ts'

/** The specification's words for a signature, in the tests' own arithmetic. */
export function signatureOf({ headers, raw }: Received, secret: string): string {
  const timestamp = String(headers['x-service-timestamp'])
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex')}`
}

/** What a careful reader finds in a delivery. */
export function viewOf({ headers, raw }: Received, now: number): View {
  const context = {
    event: String(headers['x-service-event']),
    deliveryId: String(headers['x-service-delivery']),
    ownNumberId: '109871234500011',
    now,
  }
  const reading = readBody(raw, context)
  if (!('views' in reading)) throw new Error(`refused: ${reading.refused.code}`)
  const [view, ...more] = reading.views
  if (!view || more.length > 0) throw new Error('expected one view')
  return view
}

/** The names of the events that reached the app, in their order. */
export function eventNames(app: App): string[] {
  return app.received.map((received) => header(received, 'X-Service-Event'))
}

// oxlint-disable-next-line typescript/no-explicit-any
export function bodyOf(received: Received | undefined): any {
  return JSON.parse(received?.raw.toString('utf8') ?? '')
}

/** The deliveries of one event, oldest first. */
export function receivedOf(app: App, event: string): Received[] {
  return app.received.filter((received) => header(received, 'X-Service-Event') === event)
}
