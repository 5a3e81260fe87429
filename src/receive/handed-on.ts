import { afterThisTurn } from '../base/clock.ts'

/** Resolves when what has come whole by now is with the store or refused; keys that are asked for may take longer. */
export async function handedOn(): Promise<void> {
  await afterThisTurn()
  // In that turn `receive` verifies it.
  await afterThisTurn()
}
