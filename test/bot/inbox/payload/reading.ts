import { expect } from 'vitest'
import type { PayloadAlarm, PayloadContext, View } from '../../../../src/bot/inbox/payload/facts.ts'
import { readBody } from '../../../../src/bot/inbox/payload/read-body.ts'

export const NOW = Date.parse('2026-03-04T10:00:00Z')

const encoder = new TextEncoder()

/** The bytes of a body, given as JSON or as its text. */
export function bytesOf(body: unknown): Uint8Array {
  return encoder.encode(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Reads a body the whole way from its bytes. */
export function views(event: string, body: unknown, more: Partial<PayloadContext> = {}): readonly View[] {
  const result = readBody(bytesOf(body), { event, deliveryId: undefined, now: NOW, ...more })
  if ('refused' in result) throw new Error(`refused: ${result.refused.code}`)
  return result.views
}

export function viewOf(event: string, body: unknown, more?: Partial<PayloadContext>): View {
  const all = views(event, body, more)
  expect(all).toHaveLength(1)
  return all[0] as View
}

export const received = (body: unknown, more?: Partial<PayloadContext>) => viewOf('message.received', body, more)
export const status = (body: unknown, more?: Partial<PayloadContext>) => viewOf('message.status', body, more)

/** A message that raises no alarm, with changes. */
export function message(changes: object = {}): { event: string; data: Record<string, unknown> } {
  const data = { id: 'm-1', from: '255712000101', message_type: 'text', content: 'Habari', timestamp: 1772615721 }
  return { event: 'message.received', data: { ...data, ...changes } }
}

/** The alarm with which a body is refused; undefined if it is read. */
export function refusalOf(body: string | Uint8Array, event = 'message.received'): PayloadAlarm | undefined {
  const result = readBody(typeof body === 'string' ? bytesOf(body) : body, { event, deliveryId: undefined, now: NOW })
  return 'refused' in result ? result.refused : undefined
}
