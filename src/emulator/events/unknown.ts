import { isObject, parseJson } from '../http/body.ts'

const NEWS = { x_new_member: { since: 'tomorrow', levels: [1, 2, 3] }, x_new_flag: true }

/** The same payload with members that nobody has heard of, at its top and in each object directly below (GEN-10). */
export function withUnknownFields(body: Buffer): Buffer {
  const json = parseJson(body)
  if (!isObject(json)) return body
  const members = Object.entries(json).map(([name, value]) => [name, isObject(value) ? { ...value, ...NEWS } : value])
  return Buffer.from(JSON.stringify({ ...Object.fromEntries(members), ...NEWS }))
}

export const UNKNOWN_EVENT = 'conversation.labelled'

/** The payload of an event that the service does not have yet. */
export function unknownPayload(eventId: string): object {
  return { id: eventId, event: UNKNOWN_EVENT, data: { label: 'vip', colour: 'teal' } }
}
