import { readFileSync, writeFileSync } from 'node:fs'
import { reasonOf } from '../base/errors.ts'

/**
 * What a command wrote to this file before, told by its first line; undefined where there is none. Any other file is
 * somebody's work.
 */
export function readOwn(file: string, firstLine: string): string | undefined {
  let before: string
  try {
    before = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`the types cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
  if (before === '' || before.split(/\r?\n/, 1)[0] === firstLine) return before
  throw new Error(
    `the types cannot be written to ${file}: it is there already and was not written by this command; name another`,
  )
}

/** Writes types in place of those written before, as `readOwn` found them. */
export function writeOwn(file: string, types: string, before: string | undefined): void {
  try {
    writeFileSync(file, types, { flag: before === undefined ? 'wx' : 'w' })
  } catch (error) {
    throw new Error(`the types cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}
