import { afterThisTurn } from '../base/clock.ts'

/**
 * Resolves when each delivery whose body has come by now is with the store, or refused; one whose keys are asked for
 * may take longer.
 */
export async function handedOn(): Promise<void> {
  await afterThisTurn()
  // In that turn `receive` verifies it.
  await afterThisTurn()
}
