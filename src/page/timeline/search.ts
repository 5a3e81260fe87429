import { EVENTS } from '../../contract/delivery.ts'
import { type Row, ROW_KINDS } from './rows/table.ts'

/** One term of a search: a word, or `key:value`. */
interface Term {
  /** The term as the user typed it. */
  readonly source: string
  /** Set for a `key:value`. */
  readonly key?: string
  /** Explains an invalid term. Such a term matches every row. */
  readonly problem?: string
  /** `body` is the known body of the row's call or delivery, in lower case. */
  matches(row: Row, body: string): boolean
}

const TERM_PATTERN = /(?:[^\s"]|"[^"]*"?)+/g

/** Reads the text of the search box. A row must match all terms; `-` before a term negates it. */
export function parseQuery(query: string): readonly Term[] {
  return sourcesOf(query).map(parseTerm)
}

export function matches(terms: readonly Term[], row: Row, body: string): boolean {
  return terms.every((term) => term.matches(row, body))
}

export function withoutTerm(query: string, source: string): string {
  const sources = sourcesOf(query)
  const index = sources.indexOf(source)
  return sources.filter((_, place) => place !== index).join(' ')
}

export function hasTerm(query: string, source: string): boolean {
  return sourcesOf(query).includes(source)
}

/** Adds a `key:value` term in place of others with its key, or removes it if it is there. */
export function toggleTerm(query: string, source: string): string {
  if (hasTerm(query, source)) return withoutTerm(query, source)
  const key = source.slice(0, source.indexOf(':') + 1)
  return [...sourcesOf(query).filter((other) => !other.startsWith(key)), source].join(' ')
}

function sourcesOf(query: string): readonly string[] {
  return query.match(TERM_PATTERN) ?? []
}

function parseTerm(source: string): Term {
  const isNot = source.length > 1 && source.startsWith('-')
  const term = parseUnnegated(isNot ? source.slice(1) : source)
  if (term.problem !== undefined || !isNot) return { ...term, source }
  return { ...term, source, matches: (row, body) => !term.matches(row, body) }
}

/** `http://…` has no key: it is searched for as text. */
const KEYED_PATTERN = /^([a-z_]+):(?!\/\/)(.*)$/i

function parseUnnegated(source: string): Term {
  const [, name, value = ''] = KEYED_PATTERN.exec(source) ?? []
  if (name === undefined) return wordTerm(source)
  return { source, ...parseKey(name.toLowerCase(), unquoted(value)) }
}

function wordTerm(source: string): Term {
  const word = unquoted(source).toLowerCase()
  return { source, matches: (row, body) => row.searchText.includes(word) || body.includes(word) }
}

function unquoted(text: string): string {
  return text.replaceAll('"', '')
}

type Test = (row: Row) => boolean
type KeyTerm = Pick<Term, 'problem'> & { readonly key: string; readonly matches: Test }

/** Makes a test of rows from the value of each key, or a text that explains an invalid value. */
const KEYS: Readonly<Record<string, (value: string) => Test | string>> = {
  kind: parseKind,
  status: parseStatus,
  to: parseCustomer,
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

/** Makes a test of a key and its value. An invalid one matches every row and explains itself. */
function parseKey(key: string, value: string): KeyTerm {
  const all = () => true
  const parse = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
  if (parse === undefined) {
    const problem = `There is no key ${key}: here, but ${NAMES.join(' ')}. To search for it as text, put it in quotes.`
    return { key, problem, matches: all }
  }
  if (value === '') return { key, problem: `${key}: is followed by its value, without a space.`, matches: all }
  const test = parse(value)
  return typeof test === 'string' ? { key, problem: test, matches: all } : { key, matches: test }
}

const EVENT_FAMILIES = new Set(Object.keys(EVENTS).map((name) => name.split('.')[0]))

/** Takes a kind of row, the name of an event, or its first part: `message` stands for `message.received` and so on. */
function parseKind(value: string): Test | string {
  const kind = value.toLowerCase().replace(/\.?\*$/, '')
  const isKind = ROW_KINDS.some((known) => known === kind)
  if (!isKind && !kind.includes('.') && !EVENT_FAMILIES.has(kind))
    return `There is no kind ${value}. There are ${ROW_KINDS.join(', ')}, and events such as message.status.`
  return (row) => row.kind === kind || (isEventRow(row) && (row.title === kind || row.title.startsWith(`${kind}.`)))
}

function isEventRow({ kind }: Row): boolean {
  return kind === 'delivery' || kind === 'event'
}

const COMPARISONS: Readonly<Record<string, (status: number, bound: number) => boolean>> = {
  '>=': (status, bound) => status >= bound,
  '<=': (status, bound) => status <= bound,
  '>': (status, bound) => status > bound,
  '<': (status, bound) => status < bound,
  '=': (status, bound) => status === bound,
}

/** Outcomes that have a word. */
const OUTCOMES: Readonly<Record<string, Test>> = {
  failed: ({ outcome }) => outcome?.tone === 'bad',
  pending: ({ outcome, note }) => outcome?.label === 'waits' || note === 'will be retried',
}

/** Takes `409`, `>=400`, `4xx`, `failed` or `pending`. */
function parseStatus(value: string): Test | string {
  const word = value.toLowerCase()
  if (Object.hasOwn(OUTCOMES, word)) return OUTCOMES[word] as Test
  const [, hundreds] = /^([1-5])xx$/.exec(word) ?? []
  if (hundreds !== undefined)
    return ({ status }) => status !== undefined && Math.floor(status / 100) === Number(hundreds)
  const [, sign = '=', bound] = /^([<>]=?|=)?(\d{3})$/.exec(word) ?? []
  if (bound === undefined) return `status: takes 409, >=400, 4xx, failed or pending, not ${value}.`
  return ({ status }) => status !== undefined && (COMPARISONS[sign]?.(status, Number(bound)) ?? false)
}

/** Takes the digits of a customer, or the first of them. */
function parseCustomer(value: string): Test | string {
  const [, digits] = /^\+?(\d+)(?:…|\.{2,3}|\*)?$/.exec(value) ?? []
  if (digits === undefined) return `to: takes the digits of a customer, or the first of them, not ${value}.`
  return ({ customer }) => customer?.startsWith(digits) ?? false
}
