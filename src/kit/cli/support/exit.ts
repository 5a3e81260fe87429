import { CommanderError } from 'commander'
import { reasonOf, SwitchhookError } from '../../../base/errors.ts'
import type { Io } from './io.ts'

export const EXIT = { done: 0, failed: 1, usage: 2, outOfReach: 3, refused: 4, interrupted: 130 } as const

/** Nothing answers at the address of an emulator, a receiver or the service. */
export class OutOfReach extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/** The command would reach people, or cannot be undone, and was not confirmed by a flag. */
export class RefusedForSafety extends Error {}

/** Errors that the user avoids by other arguments or variables. */
const USAGE_ERRORS = ['options_invalid', 'environment_missing', 'port_in_use']

/** Prints an error, unless commander has printed it already, and returns its exit code. */
export function exitCodeOf(io: Io, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  io.err(`switchhook: ${reasonOf(error)}${pointerOf(error)}`)
  if (error instanceof OutOfReach) return EXIT.outOfReach
  if (error instanceof RefusedForSafety) return EXIT.refused
  return isUsageError(error) ? EXIT.usage : EXIT.failed
}

/** The address of the docs about the error. A usage error's message needs none. */
function pointerOf(error: unknown): string {
  return error instanceof SwitchhookError && !isUsageError(error) ? ` (see ${error.docs})` : ''
}

function isUsageError(error: unknown): boolean {
  return error instanceof SwitchhookError && USAGE_ERRORS.includes(error.code)
}
