import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { optionsInvalid, reasonOf, readError } from '../../base/errors.ts'
import { type Recipient, recipient } from '../../service/recipient.ts'

export interface ContactsOptions {
  /** The column of the phone number. Default: `to`, or else `phone`. */
  to?: string
  /** Called for each bad row while the file is read, before any message is sent. The first line is 1. */
  onBad?: (row: { line: number; why: string }) => void
}

const USUAL = ['to', 'phone']
const SEPARATORS = [',', ';', '\t', '|'] as const
/** So many bytes are read to find the encoding and the separator. */
const HEAD_BYTES = 65_536

/**
 * Reads the rows of a CSV file, for `bot.announce`. The first line names the columns. One column has the phone number.
 * The separator may be a comma, a semicolon, a tab or `|`. The file may be UTF-8, or UTF-16 as Excel saves it.
 *
 *     // phone;name
 *     // +255 712 000 101;Asha
 *     await bot.announce(['sale', 9], contacts('customers.csv'), template('sale', 'en', { body: ['{name}'] }))
 *
 * A row with a bad number becomes a recipient that has failed, with the reason. If two rows have the same number, the
 * second one is left out.
 *
 * @throws SwitchhookError `options_invalid` if the file cannot be read, or has no column of phone numbers.
 */
export async function* contacts(file: string, o: ContactsOptions = {}): AsyncGenerator<Recipient, undefined> {
  const { encoding, separator } = await formOf(file)
  const parser = parse({
    bom: true,
    columns: (names: string[]) => names.map((name) => name.trim()),
    delimiter: separator,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  })
  // The callback does nothing, because an error while reading ends the loop below.
  pipeline(Readable.from(decoded(file, encoding)), parser, () => {})
  const lineOf = new Map<string, number>()
  try {
    for await (const { record, info } of parser as AsyncIterable<Row>) {
      const column = columnIn(record, o.to)
      const row = { ...record, to: record[column] ?? '' }
      const line = info.lines
      const digits = digitsIn(row.to)
      const first = digits.number === undefined ? undefined : lineOf.get(digits.number)
      if (info.error) o.onBad?.({ line, why: 'it has another number of columns than the first line' })
      if (digits.why !== undefined) o.onBad?.({ line, why: digits.why })
      if (first !== undefined) o.onBad?.({ line, why: `line ${first} has this number already` })
      else {
        if (digits.number !== undefined) lineOf.set(digits.number, line)
        yield row
      }
    }
  } catch (error) {
    throw readError(error).code === 'options_invalid' ? error : unreadable(file, error)
  }
  return undefined
}

interface Row {
  readonly record: Readonly<Record<string, string>>
  readonly info: { readonly lines: number; readonly error?: unknown }
}

async function* decoded(file: string, encoding: string): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const bytes of createReadStream(file)) yield decoder.decode(bytes as Buffer, { stream: true })
  yield decoder.decode()
  return undefined
}

async function formOf(file: string) {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const head = buffer.subarray(0, bytesRead)
    const encoding = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-8'
    const [line = ''] = new TextDecoder(encoding).decode(head).split(/\r?\n|\r/, 1)
    const counts = SEPARATORS.map((separator) => ({ separator, count: line.split(separator).length }))
    const [best] = counts.toSorted((a, b) => b.count - a.count)
    return { encoding, separator: best?.separator ?? ',' }
  } catch (error) {
    throw unreadable(file, error)
  }
}

function columnIn(record: Row['record'], wanted: string | undefined): string {
  const names = Object.keys(record)
  const found =
    wanted === undefined ? USUAL.find((name) => names.includes(name)) : names.find((name) => name === wanted)
  if (found !== undefined) return found
  const missing = wanted === undefined ? 'to or phone' : wanted
  throw optionsInvalid(
    `contacts(): the file has no column ${missing}: it has ${names.join(', ')}. Name the column of the phone number: contacts(file, { to: '…' })`,
  )
}

function digitsIn(text: string): { readonly number?: string; readonly why?: string } {
  try {
    return { number: recipient(text) }
  } catch (error) {
    return { why: reasonOf(error) }
  }
}

function unreadable(file: string, error: unknown) {
  const isText = readError(error).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  const why = isText ? "it is not UTF-8: save it as 'CSV UTF-8'" : reasonOf(error)
  return optionsInvalid(`contacts(): ${file} cannot be read: ${why}`, { cause: error })
}
