import { isRecord } from '../base/value.ts'
import type { PayloadAlarm } from './facts.ts'
import { isTooDeep, parseJson } from './json.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a body without its byte order mark; `undefined` where the bytes are no UTF-8. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** A body as JSON, or why it is none: `not_json`, `not_an_object`, `too_deep`. */
export function parseBody(bytes: Uint8Array): { json: unknown } | { refused: PayloadAlarm } {
  const text = decode(bytes)
  if (text === undefined) return { refused: { code: 'not_json' } }
  if (isTooDeep(text)) return { refused: { code: 'too_deep' } }
  const json = parseJson(text)
  if (json === undefined) return { refused: { code: 'not_json' } }
  return isRecord(json) ? { json } : { refused: { code: 'not_an_object' } }
}
