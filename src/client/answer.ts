import { isRecord } from '../base/value.ts'
import type { Call } from './call.ts'

/** The headers of an answer, whoever has read them; names in any case. */
export interface AnswerHeaders extends Iterable<[string, string]> {
  get(name: string): string | null
  has(name: string): boolean
}

/** The answer to an attempt, read to its end or as far as it came. */
export interface Answer {
  readonly call: Call
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
  /** The reason why the text is incomplete; undefined if it is complete. */
  readonly broken: 'timeout' | 'aborted' | 'connection' | 'too_large' | undefined
  /** Hides in a text from outside what the request held. */
  readonly redact: (text: string) => string
}

/** The most of an answer that is read: no answer of the service comes near it, and more is a mistake or an attack. */
export const LARGEST_BYTES = 1_048_576

const UTF8 = new TextDecoder()

export function textOf(chunks: readonly Uint8Array[]): string {
  return UTF8.decode(Buffer.concat(chunks))
}

/** Parses JSON, with each string in it changed by `change`; undefined if the text is no JSON. */
export function jsonOf(text: string, change?: (text: string) => string): unknown {
  try {
    if (change === undefined) return JSON.parse(text)
    return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? change(value) : value))
  } catch {
    return undefined
  }
}

/** A value's members, none if it is no object. */
export function asRecord(value: unknown): { readonly [name: string]: unknown } {
  return isRecord(value) ? value : {}
}

/** A text from outside as it may stand in a log or on a terminal: in one line, without control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}

/**
 * The wait that an answer asks for, in milliseconds. The service shows no `Retry-After` (SEND-22); if it comes one
 * day, or from a proxy, it is obeyed. A date is read against the answer's own `Date`, so that no clock is needed.
 */
export function retryAfterMs(headers: AnswerHeaders): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
