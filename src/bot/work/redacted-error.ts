import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isA, readError, SwitchhookError } from '../../base/errors.ts'
import { maskPhone, maskToken, phonePattern } from '../../base/mask.ts'
import type { KeptFacts } from '../inbox/read-delivery.ts'
import type { StartedItem } from '../../store/work/items.ts'

type Subject = Pick<StartedItem, 'customer' | 'facts' | 'earlier'>

/** The shortest text that is removed. A shorter text may be part of any word. */
const TELLING_CHARACTERS = 4
/** A phone number: digits alone, or after a plus sign. */
const NUMBER = /(?<!\w|\d\.)\d{10,15}(?!\w|\.\d)/g
/** Perhaps a token. If its letters are all of one case, it is an id, such as a ULID. */
const PERHAPS_TOKEN = /[\w+-]{32,}/g

/** Removes the message's texts, phone numbers, and what looks like a token. */
export function redact(text: string, subject: Subject): string {
  return withoutNumbers(
    textsOf(subject).reduce((shown, said) => shown.replaceAll(patternOf(said), '[text]'), text),
    subject,
  )
}

/** Only the beginning of a long text is searched for. All that follows it is removed too. */
const BEGINNING_CHARACTERS = 200

function patternOf(said: string): RegExp {
  const beginning = said.slice(0, BEGINNING_CHARACTERS).toWellFormed()
  const literal = beginning.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`)
  return new RegExp(beginning.length < said.length ? `${literal}[^]*` : literal, 'giu')
}

function withoutNumbers(text: string, { customer }: Subject): string {
  const withoutOwn = customer === undefined ? text : text.replaceAll(phonePattern(customer), maskPhone(customer))
  return withoutOwn
    .replaceAll(NUMBER, maskPhone)
    .replaceAll(PERHAPS_TOKEN, (run) =>
      [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(run)) ? maskToken(run) : run,
    )
}

/** The most texts that are searched for. An app may map a whole payload. */
const MOST_TEXTS = 1_000

/** Returns the text facts of a message or of a bundle, the longest first: a text may be a part of another. */
function textsOf({ facts, earlier }: Subject): string[] {
  const texts = [{ facts }, ...earlier].flatMap((one) => {
    const { values, own = {} } = JSON.parse(one.facts) as Partial<KeptFacts>
    const { text, media, name, location } = values ?? {}
    const place = location && [location.name, location.address, `${location.latitude}`, `${location.longitude}`]
    return [text, media?.caption, media?.filename, media?.url, name, ...(place ?? []), ...writtenIn(own)]
  })
  return texts
    .flatMap((one) => one?.trim() ?? [])
    .filter(({ length }) => length >= TELLING_CHARACTERS)
    .toSorted((one, two) => two.length - one.length)
    .slice(0, MOST_TEXTS)
}

/** Returns the texts in the app's own facts. Digits alone, such as an order's number, are no text. */
function writtenIn(fact: unknown): string[] {
  if (typeof fact === 'string') return /\p{L}/u.test(fact) ? [fact] : []
  return typeof fact === 'object' && fact !== null ? Object.values(fact).flatMap(writtenIn) : []
}

export interface RedactedError {
  readonly name: string
  readonly message: string
  readonly docs?: string
  readonly stack?: string
}

/** Removes private data from an error, and all members that may contain anything. */
export function redactError(error: unknown, subject: Subject): RedactedError {
  const { name, ...texts } = readError(error)
  const message = redact(texts.message, subject)
  const frames = redactedFrames(error, subject)
  const shown = {
    name,
    message,
    ...(isA(error, SwitchhookError) && { docs: error.docs }),
    ...(frames.length > 0 && { stack: [`${name}: ${message}`, ...frames].join('\n    ') }),
  }
  // Hide the constructor: pino logs its name as the type of an error. Without it pino logs the error's own name.
  return Object.defineProperty(shown, 'constructor', { value: undefined })
}

/** An app may set `Error.stackTraceLimit` to infinity. */
const MOST_FRAMES = 30
const FRAME = /^\s+at (?:.+ \(|async )?.+?(?::\d+:\d+)?\)?$/

/** Returns the frames, relative to the working directory, without phone numbers, which a function's name may contain. */
export function redactedFrames(error: unknown, subject: Subject): string[] {
  const folder = process.cwd()
  return stackOf(error)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MOST_FRAMES)
    .map((frame) =>
      frame
        .trim()
        .replace(`${pathToFileURL(folder).href}/`, '')
        .replace(`${folder}${sep}`, ''),
    )
    .map((frame) => withoutNumbers(frame, subject))
}

/** Returns the stack without its message, whose lines may look like frames. */
function stackOf(error: unknown): string {
  const { stack, message } = readError(error)
  const at = stack.indexOf(message)
  return at < 0 ? stack : stack.slice(at + message.length)
}
