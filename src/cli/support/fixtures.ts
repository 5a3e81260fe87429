import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { optionsInvalid, reasonOf, type SwitchhookError } from '../../base/errors.ts'
import { isRecord } from '../../base/value.ts'

/** A payload out of a file of fixtures, as bytes. */
export interface FixturePayload {
  /** The file, and its line if the file has one payload a line. */
  readonly name: string
  readonly event: string
  readonly body: Uint8Array
  /** When it came, as ISO text; fixtures of `inbox export` have it. */
  readonly at: string | undefined
}

/**
 * Reads the payloads of fixtures: `.json` files with one each, `.jsonl` files with one a line, and the files of
 * folders.
 *
 * @throws SwitchhookError `options_invalid` for a file that cannot be read or is no fixture, and if there is none at all.
 */
export function fixturesIn(paths: readonly string[]): FixturePayload[] {
  const found = paths.flatMap(filesIn).flatMap(payloadsIn)
  if (found.length > 0) return found
  throw invalid(`${paths.join(', ')} has no fixture: \`switchhook payload export\` writes them`)
}

function filesIn(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path).filter((name) => /\.jsonl?$/.test(name))
    return names.sort().map((name) => join(path, name))
  } catch (error) {
    throw invalid(`${path} cannot be read: ${reasonOf(error)}`, error)
  }
}

function payloadsIn(file: string): FixturePayload[] {
  const text = textOf(file)
  if (!file.endsWith('.jsonl')) return [payloadOf(text, file)]
  const lines = text.split('\n').map((line, index) => ({ line, name: `${file}:${index + 1}` }))
  return lines.flatMap(({ line, name }) => (line.trim() === '' ? [] : [payloadOf(line, name)]))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw invalid(`${file} cannot be read: ${reasonOf(error)}`, error)
  }
}

function payloadOf(text: string, name: string): FixturePayload {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw invalid(`${name} is no JSON: mend or remove it, or write it anew with \`switchhook payload export\``, error)
  }
  const { event, payload, at } = isRecord(json) ? json : {}
  if (typeof event !== 'string' || payload === undefined)
    throw invalid(`${name} is no fixture: it has no event or no payload; \`switchhook payload export\` writes fixtures`)
  return { name, event, body: bytesOf(payload, name), at: typeof at === 'string' ? at : undefined }
}

function bytesOf(payload: unknown, name: string): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(payload))
  } catch (error) {
    throw invalid(`${name} is no fixture: its payload is nested too deep`, error)
  }
}

function invalid(message: string, cause?: unknown): SwitchhookError {
  return optionsInvalid(`fixtures: ${message}`, { cause })
}
