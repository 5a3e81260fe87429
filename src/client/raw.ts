import type { Answer } from './call.ts'
import { jsonOf } from './json.ts'
import { scrubbed } from './withheld.ts'

/** What the service answered, for whoever needs a member that has no name here yet. */
export interface Raw {
  readonly status: number
  /** By lower-case name; those that can be used to get in are left out. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the text where it is none. */
  readonly body: unknown
}

const SECRET = new Set(['set-cookie', 'authorization', 'proxy-authorization', 'cookie'])

/** A success as it came. */
export function rawOf({ status, headers, text }: Answer): Raw {
  return { status, headers: shownOf(headers, (value) => value), body: jsonOf(text) ?? text }
}

/** A refusal, without what the request held: an echo of the input would be kept in every error otherwise. */
export function maskedRawOf({ status, headers, text, scrub }: Answer): Raw {
  return { status, headers: shownOf(headers, scrub), body: scrubbed(jsonOf(text) ?? text, scrub) }
}

function shownOf(headers: Headers, scrub: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => !SECRET.has(name)).map(([name, value]) => [name, scrub(value)]),
  )
}
