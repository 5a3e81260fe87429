import { SwitchhookError } from '../base/errors.ts'

export type Word = string | RegExp

/** What an app's own expression sees at most of a text, so that a hostile one cannot take long. */
const SEEN_CHARACTERS = 4_096

/** Case, accents and surrounding space do not matter to a plain word. */
export function fold(text: string): string {
  if (isPlain(text)) return text.trim().toLowerCase()
  return text.trim().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Most texts have no accents to look for, which is the dear part. */
function isPlain(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII as a whole
  return !/[^\0-\x7f]/.test(text)
}

/** The same for a text that is looked for among folded ones; undefined where its beginning is longer than any of them. */
export function foldWithin(text: string, longest: number): string | undefined {
  const trimmed = text.trim()
  // Accents aside folding makes nothing shorter; one more, since the cut may go through a character.
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
  const expressions = words.filter((word) => word instanceof RegExp).map(stateless)
  const hears = (text: string): Heard => {
    if (plain.size > 0 && plain.has(fold(text))) return {}
    for (const expression of expressions) {
      const match = expression.exec(seen(text))
      if (match) return { match }
    }
    return undefined
  }
  return { exact: expressions.length === 0 ? [...plain] : undefined, hears }
}

/** A global or sticky expression remembers where it stopped, and would miss every second message. */
function stateless(expression: RegExp): RegExp {
  return new RegExp(expression.source, expression.flags.replace(/[gy]/g, ''))
}

function seen(text: string): string {
  return text.length > SEEN_CHARACTERS ? text.slice(0, SEEN_CHARACTERS) : text
}

/** `'order:{id}'` matches `'order:7'` with `{ id: '7' }`; a pattern without braces matches itself alone. */
export function tapping(pattern: string) {
  if (!pattern.includes('{')) return (id: string) => (id === pattern ? {} : undefined)
  const names: string[] = []
  const source = pattern.replace(/\{([^{}]*)\}|[\\^$.*+?()[\]{}|]/g, (special, name: string | undefined) => {
    if (name === undefined) return `\\${special}`
    if (name === '' || names.includes(name))
      throw new SwitchhookError('options_invalid', `tapped('${pattern}'): each {name} needs a name of its own`)
    names.push(name)
    return '([^:]+)'
  })
  const expression = new RegExp(`^${source}$`)
  return (id: string): Record<string, string> | undefined => {
    const match = expression.exec(id)
    return match ? Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ''])) : undefined
  }
}

/** The part of a route's id that its pattern gives; a predicate has none. */
export function patternId(what: Word | readonly Word[]): string {
  const words: readonly Word[] = typeof what === 'string' || what instanceof RegExp ? [what] : what
  return words.map(String).join('|')
}
