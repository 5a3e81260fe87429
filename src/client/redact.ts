import { phonePattern } from '../base/mask.ts'
import { asRecord, parseJson } from '../base/value.ts'
import { CODE_WITHHELD, mayBeForCode, onlyBodyText } from '../service/one-time-code.ts'

type Redact = (text: string) => string

/** How much of a text is searched and shown. The rest is cut off. */
const SEARCHED_CHARACTERS = 2_048
/** The first 16 characters of a secret or a text identify it, even if its end was cut off. */
const HEAD = 16
/** How much is removed where a text was cut: more than `HEAD`, or than a code with each character escaped. */
const CUT_CHARACTERS = 128
/** Shorter texts are part of every sentence, and identify nobody. */
const SHORTEST_TEXT = 4
const SHORTEST_PART = 6
/** A code this short is hidden only as a separate word. Otherwise every `15` would lose its 1. */
const STANDS_ALONE = 3
const NOT_PRIVATE = new Set(['type', 'sub_type', 'index', 'id', 'template_name', 'template_language'])

const PHONE = /^\d+$/

/** Cuts a text from outside, and hides what no error may show: token (AUTH-07), recipient, text (F-85), code (OTP-06). */
export function redactorFor({ token, body }: { token: string | undefined; body: string | undefined }): Redact {
  let secrets: readonly Secret[] | undefined
  return (text) => {
    secrets ??= [
      // The service's tokens are not shorter. A shorter token may be a word of the service's sentences.
      ...(token !== undefined && token.length >= HEAD ? [{ text: token, shown: '[access token]' }] : []),
      ...secretsIn(body === undefined ? undefined : parseJson(body)),
    ]
    const redacted = secrets.reduce(hide, text.slice(0, SEARCHED_CHARACTERS))
    // The end of a cut text may contain the beginning of a secret, too short to be found.
    return text.length > SEARCHED_CHARACTERS ? redacted.slice(0, -CUT_CHARACTERS) : redacted
  }
}

const RECIPIENT = '[recipient]'

interface Secret {
  readonly text: string
  readonly shown: string
  /** Hides the secret where it is written in other forms, such as base64. */
  readonly hide?: Redact
}

function secretsIn(body: unknown): Secret[] {
  const { to, ...members } = asRecord(body)
  const code = onlyBodyText(members['template_components'])
  const mayBeCode = mayBeForCode(members['template_components'])
  const texts = textsIn(members).flatMap((text) => [text, ...partsOf(text)])
  return [
    ...(code === undefined
      ? []
      : [{ text: code, shown: CODE_WITHHELD, ...(mayBeCode && { hide: encodedForms(code) }) }]),
    ...(typeof to === 'string' ? [{ text: to, shown: RECIPIENT }] : []),
    ...[...new Set(texts)]
      .filter((text) => text.length >= SHORTEST_TEXT)
      .sort((a, b) => b.length - a.length)
      .map((text) => ({ text, shown: '[text withheld]' })),
  ]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(asRecord(value)).flatMap(([name, one]) => (NOT_PRIVATE.has(name) ? [] : textsIn(one)))
}

/** The parts that stay the same if a text is repeated with escapes. */
function partsOf(text: string): string[] {
  return text
    .split(/[^\x20-\x7e]|["'\\<>&]/)
    .filter((part) => part.length >= SHORTEST_PART && part.length < text.length)
}

/** Hides a secret, even if an answer has cut its end. */
function hide(given: string, { text, shown, hide: hideForms }: Secret): string {
  const isPhone = shown === RECIPIENT && PHONE.test(text)
  const within = isPhone ? given.replaceAll(phonePattern(text), shown) : (hideForms?.(given) ?? given)
  if (text.length <= STANDS_ALONE) {
    const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    return within.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu'), shown)
  }
  const head = text.slice(0, HEAD)
  let kept = ''
  let from = 0
  for (let at = within.indexOf(head); at >= 0; at = within.indexOf(head, from)) {
    let end = at + head.length
    while (end < within.length && within[end] === text[end - at]) end++
    kept += within.slice(from, at) + shown
    from = end
  }
  return kept + within.slice(from)
}

/** Matches what may stand between a code's characters if it is written for people or in an address. */
const BLANKS = String.raw`(?:[\s\p{Z}\p{Cf}+._-]|%(?:25)*20)*`
const BLANK = /[\s\p{Z}\p{Cf}+._-]/u

/** Hides a code with blanks, with escapes (`%31`, `&#49;`), in base64 and in hexadecimal (OTP-06). */
function encodedForms(code: string): Redact {
  // Leave out the code's own blanks, because they would make the expression ambiguous and slow.
  const characters = Array.from(code).filter((character) => !BLANK.test(character))
  const spread = characters.length > STANDS_ALONE ? new RegExp(characters.map(formsOf).join(BLANKS), 'giu') : undefined
  const parts = encodedParts(code)
  const hasPart = (token: string) => {
    const plain = token.replaceAll('-', '+').replaceAll('_', '/')
    return (
      parts.base64.some((part) => plain.includes(part)) || parts.hex.some((part) => token.toLowerCase().includes(part))
    )
  }
  return (text) => {
    const within = spread ? text.replaceAll(spread, CODE_WITHHELD) : text
    return within.replaceAll(/[\w+/-]{4,}=*/g, (token) => (hasPart(token) ? CODE_WITHHELD : token))
  }
}

function formsOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  const percent = Array.from(Buffer.from(character), (byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('')
  const itself = character.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return `(?:${itself}|${percent}|&#0*${code};|&#x0*${hex};|\\\\u${hex.padStart(4, '0')}|\\\\x${hex.padStart(2, '0')})`
}

/** The base64 of the code inside other bytes, at each position, without characters that depend on the bytes around it. */
function encodedParts(code: string): { readonly base64: readonly string[]; readonly hex: readonly string[] } {
  const bytes = Buffer.from(code)
  const base64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
  })
  const hex = bytes.length > STANDS_ALONE ? [bytes.toString('hex')] : []
  return { base64: base64.filter((part) => part.length > STANDS_ALONE), hex }
}
