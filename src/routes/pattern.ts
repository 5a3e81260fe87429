import { SwitchhookError } from '../base/errors.ts'

export type Word = string | RegExp

/** What an app's own expression sees at most of a text, so that a hostile one cannot take long. */
const SEEN_CHARACTERS = 4_096

/**
 * Accents, and points that are mostly left out in writing. Not the vowel signs of Hindi or Thai, nor the marks of kana:
 * those are letters, and without them other words.
 */
const ACCENTS = /(?=\p{M})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]/gu

/** What is typed or pasted along and not seen, such as the marks that say in which direction text runs. */
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** Case, accents, surrounding space and what is not seen do not matter to a plain word. */
export function fold(text: string): string {
  if (isPlain(text)) return text.trim().toLowerCase()
  const bare = text.normalize('NFKD').replace(ACCENTS, '').replace(UNSEEN, '').trim()
  // By upper case: only there are ß and SS one, and the dotless ı and I. Before it lower case, for ẞ.
  return bare.toLowerCase().toUpperCase().toLowerCase()
}

/** Most texts have no accents to look for, which is the dear part. */
function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII as a whole
  return !/[^\0-\x7f]/.test(text)
}

/** The same for a text that is looked for among folded ones; undefined where its beginning is longer than any of them. */
export function foldWithin(text: string, longest: number): string | undefined {
  const trimmed = text.trim()
  // Folding shortens a text by what it leaves out alone; one more, since the cut may go through a character.
  const head = trimmed.length > longest + 2 ? fold(trimmed.slice(0, longest + 2)) : ''
  return head.length > longest + 1 ? undefined : fold(trimmed)
}

type Heard = { match?: RegExpExecArray } | undefined

/**
 * Whether a text is one of the words; a RegExp's match is handed on. `exact`: the folded words, where there is nothing
 * else to hear.
 */
export function hearing(what: Word | readonly Word[] | ((text: string) => boolean)): {
  exact: readonly string[] | undefined
  hears: (text: string) => Heard
} {
  if (typeof what === 'function') return { exact: undefined, hears: (text) => (what(seen(text)) ? {} : undefined) }
  const words: readonly Word[] = typeof what === 'string' || what instanceof RegExp ? [what] : what
  const plain = new Set(words.filter((word) => typeof word === 'string').map(fold))
  const expressions = words.filter((word) => word instanceof RegExp).map(ownCopy)
  const hears = (text: string): Heard => {
    if (plain.size > 0 && plain.has(fold(text))) return {}
    for (const expression of expressions) {
      expression.lastIndex = 0
      const match = expression.exec(seen(text))
      if (match) return { match }
    }
    return undefined
  }
  return { exact: expressions.length === 0 ? [...plain] : undefined, hears }
}

/** Our own, since a global or sticky expression remembers where it stopped, and would miss every second message. */
function ownCopy(expression: RegExp): RegExp {
  return new RegExp(expression)
}

function seen(text: string): string {
  return text.length > SEEN_CHARACTERS ? text.slice(0, SEEN_CHARACTERS) : text
}

/**
 * `'order:{id}'` matches `'order:7'` with `{ id: '7' }`; a pattern without braces matches itself alone. A part is not empty
 * and holds no colon. No expression, which takes long on a hostile id.
 */
export function tapping(pattern: string) {
  const pieces = pattern.split(/\{([^{}]*)\}/)
  const names = pieces.filter((_, at) => at % 2 === 1)
  const between = pieces.filter((_, at) => at % 2 === 0)
  if (names.some((name, at) => name === '' || names.indexOf(name) !== at))
    throw new SwitchhookError('options_invalid', `tapped('${pattern}'): each {name} needs a name of its own`)
  return (id: string): Record<string, string> | undefined => {
    const parts = partsBetween(between, id)
    return parts && Object.fromEntries(names.map((name, at) => [name, parts[at] ?? '']))
  }
}

/** Found from the end on, so that of two ways to read an id it is the one with the longer first part. */
function partsBetween([first = '', ...rest]: readonly string[], id: string): readonly string[] | undefined {
  const last = rest.pop()
  if (last === undefined) return id === first ? [] : undefined
  if (!id.startsWith(first) || !id.endsWith(last)) return undefined
  const parts: string[] = []
  let end = id.length - last.length
  for (const text of rest.toReversed()) {
    // One character at least is left for the part behind it.
    const at = id.lastIndexOf(text, end - text.length - 1)
    if (at === -1) return undefined
    parts.unshift(id.slice(at + text.length, end))
    end = at
  }
  parts.unshift(id.slice(first.length, end))
  return parts.every((part) => part !== '' && !part.includes(':')) ? parts : undefined
}

/** The part of a route's id that its pattern gives; a predicate has none. */
export function patternId(what: Word | readonly Word[]): string {
  const words: readonly Word[] = typeof what === 'string' || what instanceof RegExp ? [what] : what
  return words.map(String).join('|')
}
