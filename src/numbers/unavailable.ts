import { SwitchhookError } from '../base/errors.ts'

/**
 * The source of numbers does not answer, and nothing that it said before may still be used. It says nothing of the number:
 * what concerns it waits, or is asked for again.
 */
export class NumberUnavailable extends SwitchhookError {
  /** The source was not even asked: others ask for too many names. */
  readonly crowded: boolean

  constructor(name: string, cause: unknown) {
    super('number_unavailable', `number "${name}" is not known now: ${whyOf(cause)}`)
    this.name = 'NumberUnavailable'
    this.crowded = cause instanceof Crowded
  }
}

/** A failure in words of our own, which may be shown. */
export class Wrong extends Error {
  override readonly name: string = 'Wrong'
}

/** The question was not asked: too many others are, or were in vain. */
export class Crowded extends Wrong {
  override readonly name = 'Crowded'
}

/** Why a question failed. The message of an error of the app's may hold a secret: its class alone is told. */
export function whyOf(cause: unknown): string {
  if (cause instanceof Wrong) return cause.message
  return `numbers.find() failed with ${cause instanceof Error ? cause.name : typeof cause}`
}
