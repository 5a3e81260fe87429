import { PAGE_POLICY } from '../base/built-page.ts'
import { REFUSALS, type Refusal, type RefusalCode } from './api.ts'

/** A request to the page, by whatever host. */
export interface PageRequest {
  readonly method: string
  /** Below the mount path, if the host knows that; else the whole path. */
  readonly path: string
  readonly query: URLSearchParams
  /** By a name in lower case; undefined if it is not there, the first value if it is there more than once. */
  header(name: string): string | undefined
  json(): Promise<unknown>
}

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /**
   * Goes on writing behind the body for as long as the reader stays, and returns a function that is called when the
   * reader has left.
   */
  readonly stream?: (reader: StreamReader) => () => void
}

export interface StreamReader {
  write(text: string): void
  /** The reader has not taken what was written before. */
  isSlow(): boolean
  end(): void
}

/** The largest body: an act names 200 deliveries at most. */
export const BODY_LIMIT_BYTES = 65_536

/** On each answer, whatever the app or its helmet has set before. */
export const GUARDS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

export function jsonAnswer(body: unknown, status = 200): PageAnswer {
  return {
    status,
    headers: { ...GUARDS, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: JSON.stringify(body),
  }
}

/** A page of one sentence, without any data. */
export function plainPage(status: number, says: string): PageAnswer {
  return {
    status,
    headers: { ...GUARDS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${status}</title><p>${says}</p></html>\n`,
  }
}

/** An answer other than what was asked for. */
export class Refused extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.code = code
  }
}

export function refusalAnswer(code: RefusalCode, message: string): PageAnswer {
  return jsonAnswer({ error: code, message } satisfies Refusal, REFUSALS[code])
}
