import { advice } from './advice.ts'
import { escaped, type Io, printLine } from './io.ts'

export function oneLine(text: string): string {
  return escaped(text.replaceAll(/[\n\t]+/g, ' '))
}

export interface OutputFlags {
  readonly json?: boolean | undefined
  readonly database?: string | undefined
}

/** A member of the row, or a heading and a function that returns the cell. */
export type Column<Row> = (keyof Row & string) | readonly [heading: string, value: (row: Row) => unknown]

interface ListOptions<Row> {
  /** Printed on stderr if there is no row. */
  readonly none?: string
  /** If the table has this many rows, a hint on stderr says that there may be more. */
  readonly limit?: number
  /** Printed below the row in a table. Not used with `--json`, which prints the whole row. */
  readonly details?: (row: Row) => object | undefined
}

/** With `--json` prints each row as a line of JSON, otherwise a table of these columns. The rows must be masked. */
export async function printList<Row extends object>(
  io: Io,
  { json }: OutputFlags,
  rows: Iterable<Row> | AsyncIterable<Row>,
  columns: readonly Column<Row>[],
  { none, limit, details = () => undefined }: ListOptions<Row> = {},
): Promise<void> {
  if (json) {
    for await (const row of rows) await printLine(io, JSON.stringify(row))
    return
  }
  const kept: Row[] = []
  for await (const row of rows) kept.push(row)
  for (const line of tableLines(kept, columns, details)) await printLine(io, line)
  if (kept.length === 0 && none !== undefined) io.err(none)
  if (kept.length === limit) io.err(`These are the first ${limit}; --limit lists more.`)
}

function tableLines<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  details: (row: Row) => object | undefined = () => undefined,
): string[] {
  if (rows.length === 0) return []
  const head = columns.map((column) => wordsOf(typeof column === 'string' ? column : column[0]).toUpperCase())
  const cells = rows.map((row) =>
    columns.map((column) => textOf(typeof column === 'string' ? row[column] : column[1](row)) || '-'),
  )
  const widths = head.map((_, at) => Math.max(...[head, ...cells].map((line) => line[at]?.length ?? 0)))
  const lines = rows.flatMap((row, at) => [aligned(cells[at] ?? [], widths), ...recordLines(details(row) ?? {}, '  ')])
  return [aligned(head, widths), ...lines]
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => cell.padEnd(widths[at] ?? 0))
    .join('  ')
    .trimEnd()
}

/** Prints one line of JSON with `--json`, otherwise a line for each member. */
export async function printRecord(io: Io, { json }: OutputFlags, record: object): Promise<void> {
  for (const line of json ? [JSON.stringify(record)] : recordLines(record)) await printLine(io, line)
}

/** Prints what a command did: the result as JSON on stdout with `--json`, otherwise the sentences on stderr. */
export function printResult(io: Io, flags: OutputFlags, result: object, ...sentences: readonly string[]): void {
  if (flags.json) io.out(JSON.stringify(result))
  else for (const sentence of sentences) io.err(oneLine(advice(flags, sentence)))
}

/** In characters. A longer value gets its own lines, below its name. */
const LONGEST_VALUE = 100

function recordLines(record: object, indent = ''): string[] {
  const members = Object.entries(record)
    .map(([name, value]) => ({ name: Array.isArray(record) ? '-' : wordsOf(name), value: value as unknown }))
    .filter(({ value }) => textOf(value) !== '')
  const width = Math.max(...members.map(({ name }) => name.length))
  return members.flatMap(({ name, value }) => {
    const text = textOf(value)
    if (typeof value !== 'object' || value === null || text.length <= LONGEST_VALUE)
      return [`${indent}${name.padEnd(width)}  ${text}`]
    return [`${indent}${name}`, ...recordLines(value, `${indent}  `)]
  })
}

/** A value on one line; empty for undefined and null. */
function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
  const members = Object.entries(value).map(([name, member]) => [name, textOf(member)] as const)
  if (Array.isArray(value)) return members.map(([, text]) => text).join(', ')
  return members.flatMap(([name, text]) => (text === '' ? [] : [`${wordsOf(name)}: ${text}`])).join(', ')
}

/** `receivedAt` becomes `received at`. A name may come from a payload, so line breaks in it are removed. */
function wordsOf(name: string): string {
  return oneLine(name).replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

export function spanText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000)
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join(' ')
  return `${ms < 0 ? '-' : ''}${text || '0s'}`
}
