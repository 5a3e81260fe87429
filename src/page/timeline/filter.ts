import type { Row } from './rows/row.ts'
import { readSearchKey } from './search-keys.ts'

/** One part of what is searched for: a word, or `key:value`. */
export interface Term {
  /** As it was written. */
  readonly source: string
  /** Recognised as a `key:value`. */
  readonly key?: string
  /** What is wrong with it, in words; such a term leaves nothing out. */
  readonly problem?: string
  /** `body`: what is known of the row beyond itself, in small letters. */
  fits(row: Row, body: string): boolean
}

const PART = /(?:[^\s"]|"[^"]*"?)+/g

/** Reads what was written into the search box: all of its parts must fit; `-` before one turns it round. */
export function readQuery(query: string): readonly Term[] {
  return (query.match(PART) ?? []).map(readTerm)
}

/** Whether a row fits all of them. */
export function fits(terms: readonly Term[], row: Row, body: string): boolean {
  return terms.every((term) => term.fits(row, body))
}

/** The same without one of its parts. */
export function without(query: string, source: string): string {
  const parts: string[] = query.match(PART) ?? []
  const index = parts.indexOf(source)
  return parts.filter((_, place) => place !== index).join(' ')
}

function readTerm(source: string): Term {
  const isNot = source.length > 1 && source.startsWith('-')
  const term = readPositive(isNot ? source.slice(1) : source)
  if (term.problem !== undefined || !isNot) return { ...term, source }
  return { ...term, source, fits: (row, body) => !term.fits(row, body) }
}

/** A scheme is no key: `http://…` is searched for as it stands. */
const KEYED = /^([a-z_]+):(?!\/\/)(.*)$/i

function readPositive(source: string): Term {
  const [, name, value = ''] = KEYED.exec(source) ?? []
  if (name === undefined) return wordTerm(source)
  return { source, ...readSearchKey(name.toLowerCase(), unquoted(value)) }
}

function wordTerm(source: string): Term {
  const word = unquoted(source).toLowerCase()
  return { source, fits: (row, body) => row.text.includes(word) || body.includes(word) }
}

function unquoted(text: string): string {
  return text.replaceAll('"', '')
}
