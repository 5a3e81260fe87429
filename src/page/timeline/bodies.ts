import { signal } from '@preact/signals'
import type { Call, Delivery } from '../wire/types.ts'
import type { Row } from './rows/row.ts'

/** What was read of calls and deliveries that were opened, in small letters: a search looks through it too. */
export const bodies = signal<ReadonlyMap<string, string>>(new Map())

/** The same for all attempts of a delivery. */
export function keyOf({ call, delivery }: Pick<Row, 'call' | 'delivery'>): string {
  return delivery ?? call ?? ''
}

export function keepCall(call: Call): void {
  keep(call.id, [call.request.body ?? '', call.response.body])
}

export function keepDelivery({ id, attempts }: Delivery): void {
  keep(id, [...new Set(attempts.flatMap(({ request, response }) => [request.body, response?.body ?? '']))])
}

function keep(key: string, texts: readonly string[]): void {
  bodies.value = new Map(bodies.peek()).set(key, texts.join('\n').toLowerCase())
}
