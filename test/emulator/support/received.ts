import { type App, header, type Received } from './app.ts'

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
