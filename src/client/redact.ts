import { phonePattern } from '../base/mask.ts'
import { asRecord, parseJson } from '../base/value.ts'
import { CODE_WITHHELD } from '../service/one-time-code.ts'

type Redact = (text: string) => string

/** Only this much of a text is searched and shown, so that a long answer takes no longer than a short one. */
const SEARCHED_CHARACTERS = 2_048
/** These characters are enough to reveal a secret or a text; the rest may be cut. */
const HEAD = 16
/** Shorter texts are part of every sentence, and identify nobody. */
const SHORTEST_TEXT = 4
const SHORTEST_PART = 6
/** A code this short is hidden only if it is a separate word. Otherwise every `15` would lose its 1. */
const STANDS_ALONE = 3
/** These members name the kind of a body and the cause of an error, and are not private. */
const NOT_PRIVATE = new Set(['type', 'sub_type', 'index', 'id', 'template_name', 'template_language'])

const PHONE = /^\d+$/

/** Cuts a text from outside, and hides what no error may show: token (AUTH-07), recipient, text (F-85), code (OTP-06). */
export function redactorFor({ token, body }: { token: string | undefined; body: string | undefined }): Redact {
  let secrets: readonly Secret[] | undefined
  return (text) => {
    secrets ??= [
      // A shorter one is not a token of the service, and may be a word of its sentences.
      ...(token !== undefined && token.length >= HEAD ? [{ text: token, shown: '[access token]' }] : []),
      ...secretsIn(body === undefined ? undefined : parseJson(body)),
    ]
    const redacted = secrets.reduce(hide, text.slice(0, SEARCHED_CHARACTERS))
    // The cut may have left the beginning of a secret, too short to be found.
    return text.length > SEARCHED_CHARACTERS ? redacted.slice(0, 1 - HEAD) : redacted
  }
}

const RECIPIENT = '[recipient]'

interface Secret {
  readonly text: string
  readonly shown: string
}

function secretsIn(body: unknown): Secret[] {
  const { to, ...members } = asRecord(body)
  const code = codeOf(members['template_components'])
  const texts = textsIn(members).flatMap((text) => [text, ...partsOf(text)])
  return [
    ...(code === undefined ? [] : [{ text: code, shown: CODE_WITHHELD }]),
    ...(typeof to === 'string' ? [{ text: to, shown: RECIPIENT }] : []),
    ...[...new Set(texts)]
      .filter((text) => text.length >= SHORTEST_TEXT)
      .sort((a, b) => b.length - a.length)
      .map((text) => ({ text, shown: '[text withheld]' })),
  ]
}

/** A body with only one text parameter may be a one-time code, because only the service knows the category. */
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

/** Hides a secret, even if an answer has cut its end. */
function hide(given: string, { text, shown }: Secret): string {
  const within = shown === RECIPIENT && PHONE.test(text) ? given.replaceAll(phonePattern(text), shown) : given
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
