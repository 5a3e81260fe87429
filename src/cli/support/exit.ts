import { CommanderError } from 'commander'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import type { Io } from './io.ts'

/** What the process says when it ends. */
export const EXIT = { done: 0, failed: 1, usage: 2, outOfReach: 3, refused: 4, interrupted: 130 } as const

/** Nothing answers where an emulator, a receiver or the service should be. */
export class OutOfReach extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/** What cannot be undone needs a word that was not given. */
export class RefusedForSafety extends Error {}

/** Somebody at the terminal thought better of it. */
export class Interrupted extends Error {}

/** Errors that the caller mends by calling differently. */
const USAGE_ERRORS = ['options_invalid', 'environment_missing', 'port_in_use']

/** The exit code of an error; says on stderr, in one line, what commander has not said already. */
export function exitCodeOf(io: Io, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  io.err(`switchhook: ${reasonOf(error)}`)
  if (error instanceof OutOfReach) return EXIT.outOfReach
  if (error instanceof RefusedForSafety) return EXIT.refused
  if (error instanceof Interrupted) return EXIT.interrupted
  return error instanceof SwitchhookError && USAGE_ERRORS.includes(error.code) ? EXIT.usage : EXIT.failed
}
