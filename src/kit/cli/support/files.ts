import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { optionsInvalid, reasonOf } from '../../../base/errors.ts'
import type { Io } from './io.ts'

/**
 * Reads the file that a flag or an argument names; `-` is stdin.
 *
 * @throws SwitchhookError `options_invalid` if the file cannot be read, or if stdin is a terminal, whose input nobody
 * would end.
 */
export async function readInput(io: Io, file: string, name: string): Promise<Buffer> {
  if (file === '-' && io.stdin.isTTY)
    throw optionsInvalid(`${name}: - is stdin, and that is a terminal; pipe something in`)
  try {
    return await (file === '-' ? buffer(io.stdin) : readFile(file))
  } catch (error) {
    throw optionsInvalid(`${name}: ${file} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * The text that the command wrote to this file earlier, recognised by its first line; undefined if there is no file.
 *
 * @throws Error for any other file, because somebody wrote it.
 */
export function readGenerated(file: string, firstLine: string): string | undefined {
  let before: string
  try {
    before = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`the types cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
  if (before === '' || before.split(/\r?\n/, 1)[0] === firstLine) return before
  throw new Error(
    `the types cannot be written to ${file}: it exists already and was not written by this command; name another`,
  )
}

export function writeGenerated(file: string, types: string, before: string | undefined): void {
  try {
    writeFileSync(file, types, { flag: before === undefined ? 'wx' : 'w' })
  } catch (error) {
    throw new Error(`the types cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}

const OWNER_ONLY = 0o600

/** Does not overwrite an existing file, because somebody may have edited it. */
export function openNewFile(file: string): number {
  try {
    return openSync(file, 'wx', OWNER_ONLY)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const why = isThere ? 'it exists already; name another' : reasonOf(error)
    throw new Error(`nothing can be written to ${file}: ${why}`, { cause: error })
  }
}

/**
 * Writes a new file whose text takes long to make. Opens it first, so that an error appears at once. If `make` fails,
 * no file is left.
 */
export async function writeNewFile(file: string, make: () => Promise<string>): Promise<void> {
  const handle = openNewFile(file)
  let text: string | undefined
  try {
    text = await make()
    writeSync(handle, text)
  } finally {
    closeSync(handle)
    if (text === undefined) unlinkSync(file)
  }
}

export function temporaryFolder(what: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), `switchhook-${what}-`))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
