import { CODE_WITHHELD } from '../content/index.ts'
import { asRecord, jsonOf } from './json.ts'

/** Takes out of a text from outside what a request held. */
export type Scrub = (text: string) => string

/** What is to be hidden, and what stands in its place. */
type Hide = (within: string) => string

/** So many characters in a row give a token away, or a text; a shorter one is hidden whole. */
const TOKEN_RUN = 8
const TEXT_RUN = 16
/** Shorter words stand in every sentence, and say nothing about anybody. */
const SHORTEST_TEXT = 4
const SHORTEST_PART = 6
/** A code or token this short is hidden where it stands alone, or every `15` would lose its 1. */
const STANDS_ALONE = 3
/** What a body says of its kind, and what an error is about: not private, and needed to mend it. */
const SHOWN = new Set(['type', 'sub_type', 'index', 'id', 'template_name', 'template_language'])

/**
 * What no error may show, though the service, a proxy or fetch repeats it, whole or cut: the token (AUTH-07), who it
 * goes to, what it says (F-85), and a one-time code (OTP-06).
 */
export function scrubFor({ token, body }: { token: string | undefined; body: string | undefined }): Scrub {
  let all: readonly Hide[] | undefined
  return (text) => {
    all ??= [...ofToken(token), ...(body === undefined ? [] : ofBody(jsonOf(body)))]
    return all.reduce((within, hide) => hide(within), text)
  }
}

/** A value of JSON with every text and number in it scrubbed; what echoes the input is dropped whole. */
export function scrubbed(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value)
  if (typeof value === 'number') {
    const text = scrub(String(value))
    return text === String(value) ? value : text
  }
  if (Array.isArray(value)) return value.map((one) => scrubbed(one, scrub))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'input' && name !== 'ctx')
      .map(([name, one]) => [scrub(name), scrubbed(one, scrub)]),
  )
}

// A token of a few letters, as an emulator may have, would be found in other words.
function ofToken(token: string | undefined): Hide[] {
  return token === undefined || token.length < TOKEN_RUN ? [] : [hiding(token, '[access token]', TOKEN_RUN)]
}

function ofBody(body: unknown): Hide[] {
  const { to, ...said } = asRecord(body)
  const code = codeOf(said['template_components'])
  const texts = textsIn(said).flatMap((text) => [text, ...partsOf(text)])
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
  return Object.entries(asRecord(value)).flatMap(([name, one]) => (SHOWN.has(name) ? [] : textsIn(one)))
}

/** What is left of a text where it was repeated in escapes. */
function partsOf(text: string): string[] {
  return text
    .split(/[^\x20-\x7e]|["'\\<>&]/)
    .filter((part) => part.length >= SHORTEST_PART && part.length < text.length)
}

function hiding(text: string, shown: string, run = TEXT_RUN): Hide {
  if (text.length <= STANDS_ALONE) {
    const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    const alone = new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
    return (within) => within.replaceAll(alone, shown)
  }
  if (text.length <= run) return (within) => within.replaceAll(text, shown)
  const runs = new Set(Array.from({ length: text.length - run + 1 }, (_, at) => text.slice(at, at + run)))
  return (within) => withoutRuns(within, { runs, run, shown })
}

/** Hides each stretch that is made of runs, so that what was cut at its ends is hidden too. */
function withoutRuns(within: string, { runs, run, shown }: { runs: Set<string>; run: number; shown: string }): string {
  let kept = ''
  let from = 0
  for (let at = 0; at + run <= within.length; at++) {
    if (!runs.has(within.slice(at, at + run))) continue
    let end = at + run
    while (end < within.length && runs.has(within.slice(end + 1 - run, end + 1))) end++
    kept += within.slice(from, at) + shown
    from = end
    at = end - 1
  }
  return kept + within.slice(from)
}
