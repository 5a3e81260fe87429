import { optionsInvalid } from '../../base/errors.ts'

export type Word = string | RegExp

/** Routes read so many characters of a text, so that no text takes long. */
const SEEN_CHARACTERS = 4_096

/** Accents, and points that people leave out. Not vowel signs of Hindi or Thai, nor marks of kana, which change words. */
const ACCENTS = /(?=\p{M})(?![\u3099\u309a])[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]/gu

/** Invisible characters, such as marks of text direction, and the line that stretches Arabic words. */
const INVISIBLE = /[\u00ad\u0640\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\p{Emoji_Modifier}/gu

/** Characters that differ between keyboards: apostrophes, hyphens, letters of Persian and Arabic, digits, blanks. */
const ALIKE: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/[`\u02b9\u02bb-\u02bd\u2018\u2019\u201b\u2032\uff07]/g, "'"],
  [/[\p{Pd}\u2043\u2212]/gu, '-'],
  [/[\u0649\u06cc]/g, '\u064a'],
  [/\u06a9/g, '\u0643'],
  [/[\u0629\u06c1\u06d5]/g, '\u0647'],
  [/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15)],
  [/[\u0966-\u096f]/g, (digit) => String(digit.charCodeAt(0) - 0x966)],
  [/\s+/g, ' '],
]

/** The form for comparing texts: without case, accents, surrounding space and invisible characters. */
export function fold(text: string): string {
  // NFKD would make letters of these emoji, and a blank of ´.
  const plain = text.replace(/´/g, "'").replace(/[^ℹ™㊗㊙]+/g, (some) => some.normalize('NFKD'))
  const marked = plain.replace(ACCENTS, '').replace(INVISIBLE, '')
  const alike = ALIKE.reduce((given, [from, to]) => given.replace(from, to as string), marked).trim()
  // Upper case makes ß equal to SS, and the dotless ı to I. Before that, lower case turns ẞ into ß.
  return alike.toLowerCase().toUpperCase().toLowerCase()
}

const SIGN = /[\p{P}\p{S}\p{Z}\p{Extended_Pictographic}]/u
/** Short texts in which a sign is a part of the word, such as A+, O−, −5, 50%, €5. */
const SHORT = /^(?:[\d.,]+|\p{L}{1,2})$/u
const BEFORE_SHORT = /[+<>=\p{Sc}-]/u
const AFTER_SHORT = /[+%#°\p{Sc}-]/u

let lastBare = { of: '', is: '' }

/** As `fold`, and without signs and emoji at both ends, unless there is nothing else. */
export function bare(text: string): string {
  // Remembered, because all routes of a bot compare the same text.
  if (lastBare.of !== text) lastBare = { of: text, is: withoutSigns(fold(text)) }
  return lastBare.is
}

function withoutSigns(folded: string): string {
  const chars = Array.from(folded)
  const isSign = (char: string) => SIGN.test(char)
  const between = (from: number, to: number) => chars.slice(from, to).join('')
  let from = chars.findIndex((char) => !isSign(char))
  let to = chars.findLastIndex((char) => !isSign(char)) + 1
  if (from === -1) return folded
  if (SHORT.test(between(from, to))) {
    if (BEFORE_SHORT.test(chars[from - 1] ?? '')) from--
    while (AFTER_SHORT.test(chars[to] ?? '')) to++
  }
  return between(from, to)
}

type Match = { match?: RegExpExecArray } | undefined

/** For `hears`. `plain`: its words in the form that is compared. `onlyPlain`: it has no expressions. */
export function compileWords(
  what: Word | readonly Word[] | ((text: string) => boolean),
  { exact = false }: { readonly exact?: boolean | undefined } = {},
): {
  plain: readonly string[]
  onlyPlain: boolean
  hears: (text: string) => Match
} {
  if (typeof what === 'function')
    return { plain: [], onlyPlain: false, hears: (text) => (what(seen(text)) ? {} : undefined) }
  const form = exact ? (text: string) => text.normalize() : bare
  const given = asList(what)
  const plain = new Set(given.filter((word) => typeof word === 'string').map((word) => form(word)))
  // A copy: an expression with the flag g or y remembers its position.
  const expressions = given.filter((word) => word instanceof RegExp).map((word) => new RegExp(word))
  const hears = (text: string): Match => {
    // A longer text equals no word, and folding it is expensive.
    if (plain.size > 0 && text.length <= SEEN_CHARACTERS && plain.has(form(text))) return {}
    for (const expression of expressions) {
      expression.lastIndex = 0
      const match = expression.exec(seen(text))
      if (match) return { match }
    }
    return undefined
  }
  return { plain: [...plain], onlyPlain: expressions.length === 0, hears }
}

function seen(text: string): string {
  return text.slice(0, SEEN_CHARACTERS)
}

function asList(what: Word | readonly Word[]): readonly Word[] {
  return typeof what === 'string' || what instanceof RegExp ? [what] : what
}

/**
 * Compiles a pattern of ids: `'order:{id}'` matches `'order:7'` with `{ id: '7' }`. A part is not empty and contains no
 * colon. Not a regular expression, which takes long on a hostile id.
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

/** Splits an id into its parts, from the end. If an id can be read in two ways, the first part is the longer one. */
function partsBetween([first = '', ...rest]: readonly string[], id: string): readonly string[] | undefined {
  const last = rest.pop()
  if (last === undefined) return id === first ? [] : undefined
  if (!id.startsWith(first) || !id.endsWith(last)) return undefined
  const parts: string[] = []
  let end = id.length - last.length
  for (const text of rest.toReversed()) {
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
