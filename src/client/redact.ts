import { CODE_WITHHELD } from '../content/index.ts'
import { type Answer, type AnswerHeaders, asRecord, jsonOf } from './answer.ts'

/** The service's answer, for members that have no name here yet. */
export interface Raw {
  readonly status: number
  /** By lower-case name, without those that give access. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the text if it is none. */
  readonly body: unknown
}

/** A success as it came, with its body as it was parsed. */
export function rawOf({ status, headers }: Answer, body: unknown): Raw {
  return { status, headers: harmlessHeaders(headers, (value) => value), body }
}

/** A refusal without what the request held: otherwise every error would keep an echo of the input. */
export function redactedRawOf({ status, headers, text, redact }: Answer): Raw {
  return { status, headers: harmlessHeaders(headers, redact), body: redactedJson(jsonOf(text) ?? text, redact) }
}

const SECRET_HEADERS = new Set(['set-cookie', 'authorization', 'proxy-authorization', 'cookie'])

function harmlessHeaders(headers: AnswerHeaders, redact: Redact): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => !SECRET_HEADERS.has(name)).map(([name, value]) => [name, redact(value)]),
  )
}

/** Hides in a text from outside what a request held. */
type Redact = (text: string) => string

/** A value of JSON with every text and number in it redacted; members that echo the input are dropped whole. */
function redactedJson(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'number') {
    const text = redact(String(value))
    return text === String(value) ? value : text
  }
  if (Array.isArray(value)) return value.map((one) => redactedJson(one, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'input' && name !== 'ctx')
      .map(([name, one]) => [redact(name), redactedJson(one, redact)]),
  )
}

/**
 * A run of this many characters gives away a token, or a text. A shorter text is hidden whole. What is shorter is no
 * token of the service: its beginning may be a word, as in an emulator's, and words of prose must stay.
 */
const RUN = 16
/** Shorter words stand in every sentence, and say nothing about anybody. */
const SHORTEST_TEXT = 4
const SHORTEST_PART = 6
/** A code or token this short is hidden only if it stands alone: otherwise every `15` would lose its 1. */
const STANDS_ALONE = 3
/** Members that say of what kind a body is, and what an error is about: not private, and needed to mend it. */
const NOT_PRIVATE = new Set(['type', 'sub_type', 'index', 'id', 'template_name', 'template_language'])

/**
 * Hides what no error may show, though the service, a proxy or fetch repeats it, whole or cut: the token (AUTH-07), the
 * recipient, the text (F-85), and a one-time code (OTP-06).
 */
export function redactorFor({ token, body }: { token: string | undefined; body: string | undefined }): Redact {
  let redactors: readonly Redact[] | undefined
  return (text) => {
    redactors ??= [...tokenRedactors(token), ...(body === undefined ? [] : bodyRedactors(jsonOf(body)))]
    return redactors.reduce((within, redact) => redact(within), text)
  }
}

function tokenRedactors(token: string | undefined): Redact[] {
  return token === undefined || token.length < RUN ? [] : [hiding(token, '[access token]')]
}

function bodyRedactors(body: unknown): Redact[] {
  const { to, ...members } = asRecord(body)
  const code = codeOf(members['template_components'])
  const texts = textsIn(members).flatMap((text) => [text, ...partsOf(text)])
  return [
    ...(code === undefined ? [] : [hiding(code, CODE_WITHHELD)]),
    ...(typeof to === 'string' ? [hiding(to, '[recipient]')] : []),
    ...texts
      .filter((text) => text.length >= SHORTEST_TEXT)
      .sort((a, b) => b.length - a.length)
      .map((text) => hiding(text, '[text withheld]')),
  ]
}

/** A body with one text parameter and nothing else may be a one-time code: only the service knows the category. */
function codeOf(components: unknown): string | undefined {
  const all: unknown[] = Array.isArray(components) ? components : []
  const bodies = all.map(asRecord).filter((one) => one['type'] === 'body')
  const parameters: unknown = bodies.length === 1 ? bodies[0]?.['parameters'] : undefined
  const { text } = asRecord(Array.isArray(parameters) && parameters.length === 1 ? parameters[0] : undefined)
  return typeof text === 'string' && text !== '' ? text : undefined
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(asRecord(value)).flatMap(([name, one]) => (NOT_PRIVATE.has(name) ? [] : textsIn(one)))
}

/** The parts of a text that stay the same if it is repeated with escapes. */
function partsOf(text: string): string[] {
  return text
    .split(/[^\x20-\x7e]|["'\\<>&]/)
    .filter((part) => part.length >= SHORTEST_PART && part.length < text.length)
}

function hiding(text: string, placeholder: string): Redact {
  if (text.length <= STANDS_ALONE) {
    const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    const alone = new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
    return (within) => within.replaceAll(alone, placeholder)
  }
  if (text.length <= RUN) return (within) => within.replaceAll(text, placeholder)
  const runs = new Set(Array.from({ length: text.length - RUN + 1 }, (_, at) => text.slice(at, at + RUN)))
  return (within) => withoutRuns(within, runs, placeholder)
}

/** Hides each stretch that is made of runs, so that a text that was cut at its ends is hidden too. */
function withoutRuns(within: string, runs: ReadonlySet<string>, placeholder: string): string {
  let kept = ''
  let from = 0
  for (let at = 0; at + RUN <= within.length; at++) {
    if (!runs.has(within.slice(at, at + RUN))) continue
    let end = at + RUN
    while (end < within.length && runs.has(within.slice(end + 1 - RUN, end + 1))) end++
    kept += within.slice(from, at) + placeholder
    from = end
    at = end - 1
  }
  return kept + within.slice(from)
}
