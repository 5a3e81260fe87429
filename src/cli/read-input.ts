import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { reasonOf, SwitchhookError } from '../base/errors.ts'

/**
 * The bytes of a file that a flag or an argument names; `-` is stdin.
 *
 * @throws SwitchhookError `options_invalid` where it cannot be read, and where nobody would end a stdin that is a
 * terminal.
 */
export async function readInput(file: string, name: string): Promise<Buffer> {
  if (file === '-' && process.stdin.isTTY)
    throw new SwitchhookError('options_invalid', `${name}: - is stdin, and that is a terminal; pipe something in`)
  try {
    return await (file === '-' ? buffer(process.stdin) : readFile(file))
  } catch (error) {
    throw new SwitchhookError('options_invalid', `${name}: ${file} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}
