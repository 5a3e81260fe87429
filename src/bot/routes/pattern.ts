import { optionsInvalid } from '../../base/errors.ts'

export type Word = string | RegExp

/** A route reads only this much of a text, so that a hostile text cannot take long. */
const SEEN_CHARACTERS = 4_096

/**
 * Accents, and points that people mostly leave out. Not the vowel signs of Hindi or Thai, nor the marks of kana: those
 * are letters, and words without them are other words.
 */
const ACCENTS = /(?=\p{M})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]/gu

/** Invisible characters that are typed or pasted along, such as marks of text direction. */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** The form for comparing plain words: without case, accents, surrounding space and invisible characters. */
export function fold(text: string): string {
  const bare = text.normalize('NFKD').replace(ACCENTS, '').replace(INVISIBLE, '').trim()
  // Through upper case, because only there ß equals SS, and the dotless ı equals I. Lower case first, for ẞ.
  return bare.toLowerCase().toUpperCase().toLowerCase()
}

type Match = { match?: RegExpExecArray } | undefined

/** Compiles the argument of `hears`. `words`: the folded ones, if there are only plain words. */
export function compileWords(what: Word | readonly Word[] | ((text: string) => boolean)): {
  words: readonly string[] | undefined
  hears: (text: string) => Match
} {
  if (typeof what === 'function') return { words: undefined, hears: (text) => (what(seen(text)) ? {} : undefined) }
  const given = asList(what)
  const plain = new Set(given.filter((word) => typeof word === 'string').map(fold))
  // Copies, because a global or sticky expression remembers its position and would miss every second message.
  const expressions = given.filter((word) => word instanceof RegExp).map((word) => new RegExp(word))
  const hears = (text: string): Match => {
    // Folding a long text is expensive, and no word is as long.
    if (plain.size > 0 && text.length <= SEEN_CHARACTERS && plain.has(fold(text))) return {}
    for (const expression of expressions) {
      expression.lastIndex = 0
      const match = expression.exec(seen(text))
      if (match) return { match }
    }
    return undefined
  }
  return { words: expressions.length === 0 ? [...plain] : undefined, hears }
}

function seen(text: string): string {
  return text.slice(0, SEEN_CHARACTERS)
}

function asList(what: Word | readonly Word[]): readonly Word[] {
  return typeof what === 'string' || what instanceof RegExp ? [what] : what
}

/**
 * Compiles a pattern of ids. `'order:{id}'` matches `'order:7'` with `{ id: '7' }`. A pattern without braces matches
 * only itself. A part is not empty and contains no colon. Does not use a regular expression, which takes long on a
 * hostile id.
 */
export function compileTapPattern(pattern: string) {
  const pieces = pattern.split(/\{([^{}]*)\}/)
  const names = pieces.filter((_, at) => at % 2 === 1)
  const between = pieces.filter((_, at) => at % 2 === 0)
  if (names.some((name, at) => name === '' || names.indexOf(name) !== at))
    throw optionsInvalid(`tapped('${pattern}'): each {name} needs a different name`)
  return (id: string): Record<string, string> | undefined => {
    const parts = partsBetween(between, id)
    return parts && Object.fromEntries(names.map((name, at) => [name, parts[at] ?? '']))
  }
}

/** Searches from the end: if an id can be read in two ways, the first part is the longer one. */
function partsBetween([first = '', ...rest]: readonly string[], id: string): readonly string[] | undefined {
  const last = rest.pop()
  if (last === undefined) return id === first ? [] : undefined
  if (!id.startsWith(first) || !id.endsWith(last)) return undefined
  const parts: string[] = []
  let end = id.length - last.length
  for (const text of rest.toReversed()) {
    // Leaves at least one character for the part after this text.
    const at = id.lastIndexOf(text, end - text.length - 1)
    if (at === -1) return undefined
    parts.unshift(id.slice(at + text.length, end))
    end = at
  }
  parts.unshift(id.slice(first.length, end))
  return parts.every((part) => part !== '' && !part.includes(':')) ? parts : undefined
}

export function patternId(what: Word | readonly Word[]): string {
  return asList(what).map(String).join('|')
}
