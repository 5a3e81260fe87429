import { EVENTS } from '../../contract/delivery.ts'
import type { Row, RowKind } from './rows/table.ts'

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

type Test = (row: Row) => boolean
type Read = { readonly key: string; readonly problem?: string; readonly fits: Test }

const KINDS = [
  'call',
  'delivery',
  'event',
  'window',
  'agent',
  'clock',
  'endpoint',
  'change',
] as const satisfies RowKind[]

/** What each key takes: a test of rows, or in words what is wrong with the value. */
const KEYS: Readonly<Record<string, (value: string) => Test | string>> = {
  kind: readKind,
  status: readStatus,
  to: readCustomer,
  id: (value) => {
    const part = value.toLowerCase()
    return (row) => [row.id, row.call, row.delivery, row.message].some((id) => id?.toLowerCase().includes(part))
  },
  code: (value) => {
    const part = value.toLowerCase()
    return (row) => row.code?.toLowerCase().includes(part) ?? false
  },
}

const NAMES = Object.keys(KEYS).map((name) => `${name}:`)

/** A key with its value as a test. One that is not understood leaves nothing out, and says why. */
export function readSearchKey(key: string, value: string): Read {
  const all = () => true
  const read = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (read === undefined) {
    const problem = `There is no key ${key}: here, but ${NAMES.join(' ')}. To search for it as text, put it in quotes.`
    return { key, problem, fits: all }
  }
  if (value === '') return { key, problem: `${key}: is followed by its value, without a space.`, fits: all }
  const test = read(value)
  return typeof test === 'string' ? { key, problem: test, fits: all } : { key, fits: test }
}

const FIRST_PARTS = new Set(Object.keys(EVENTS).map((name) => name.split('.')[0]))

/** A kind of row, an event's name, or how one begins: `message` stands for `message.received` and its like. */
function readKind(value: string): Test | string {
  const kind = value.toLowerCase().replace(/\.?\*$/, '')
  const isKind = KINDS.some((known) => known === kind)
  if (!isKind && !kind.includes('.') && !FIRST_PARTS.has(kind))
    return `There is no kind ${value}. There are ${KINDS.join(', ')}, and events such as message.status.`
  return (row) => row.kind === kind || (isDelivered(row) && (row.what === kind || row.what.startsWith(`${kind}.`)))
}

function isDelivered({ kind }: Row): boolean {
  return kind === 'delivery' || kind === 'event'
}

const COMPARE: Readonly<Record<string, (status: number, bound: number) => boolean>> = {
  '>=': (status, bound) => status >= bound,
  '<=': (status, bound) => status <= bound,
  '>': (status, bound) => status > bound,
  '<': (status, bound) => status < bound,
  '=': (status, bound) => status === bound,
}

/** How a row ended, in words. */
const ENDED: Readonly<Record<string, Test>> = {
  failed: ({ outcome }) => outcome?.tone === 'bad',
  pending: ({ outcome, note }) => outcome?.words === 'waits' || note === 'will be retried',
}

/** `409`, `>=400`, `4xx`, `failed`, `pending`. */
function readStatus(value: string): Test | string {
  const word = value.toLowerCase()
  if (Object.hasOwn(ENDED, word)) return ENDED[word] as Test
  const [, hundreds] = /^([1-5])xx$/.exec(word) ?? []
  if (hundreds !== undefined)
    return ({ status }) => status !== undefined && Math.floor(status / 100) === Number(hundreds)
  const [, sign = '=', bound] = /^([<>]=?|=)?(\d{3})$/.exec(word) ?? []
  if (bound === undefined) return `status: takes 409, >=400, 4xx, failed or pending, not ${value}.`
  return ({ status }) => status !== undefined && (COMPARE[sign]?.(status, Number(bound)) ?? false)
}

/** The digits of a customer, or those with which a number begins. */
function readCustomer(value: string): Test | string {
  const [, digits] = /^\+?(\d+)(?:…|\.{2,3}|\*)?$/.exec(value) ?? []
  if (digits === undefined) return `to: takes the digits of a customer, or the first of them, not ${value}.`
  return ({ customer }) => customer?.startsWith(digits) ?? false
}
