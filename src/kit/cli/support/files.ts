import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { optionsInvalid, reasonOf, readError } from '../../../base/errors.ts'
import { type Io, pathOf } from './io.ts'

/**
 * Reads a file; `-` is stdin. `name`: the flag or argument, for the error.
 *
 * @throws SwitchhookError `options_invalid` if the file cannot be read, or if stdin is a terminal.
 */
export async function readInput(io: Io, file: string, name: string): Promise<Buffer> {
  if (file === '-' && io.stdin.isTTY)
    throw optionsInvalid(`${name}: - is stdin, and that is a terminal; pipe something in`)
  try {
    return await (file === '-' ? buffer(io.stdin) : readFile(pathOf(io, file)))
  } catch (error) {
    throw optionsInvalid(`${name}: ${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/** @throws Error if the file cannot be written, or has another first line because this command did not write it. */
export function writeGenerated(io: Io, file: string, text: string): void {
  const path = pathOf(io, file)
  try {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const [firstLine] = text.split('\n', 1)
    if (before !== '' && before.split(/\r?\n/, 1)[0] !== firstLine)
      throw new Error('it exists already and was not written by this command; name another')
    writeFileSync(path, text)
  } catch (error) {
    throw new Error(`the types cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

const OWNER_ONLY = 0o600

/** @throws Error if the file cannot be made, or exists already: somebody may have edited it. */
export function openNewFile(io: Io, file: string): number {
  try {
    return openSync(pathOf(io, file), 'wx', OWNER_ONLY)
  } catch (error) {
    const isThere = readError(error).code === 'EEXIST'
    const why = isThere ? 'it exists already; name another' : reasonOf(error)
    throw new Error(`nothing can be written to ${file}: ${why}`, { cause: error })
  }
}

export function temporaryFolder(what: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), `switchhook-${what}-`))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
