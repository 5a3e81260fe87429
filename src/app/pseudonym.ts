import { createHmac, randomBytes } from 'node:crypto'

const SHOWN_CHARACTERS = 12

/**
 * Names a customer in the log: the same name for the same one while the process lives, and none that leads back to a
 * phone number, since a plain hash of one is found by trying them all.
 */
export function createPseudonyms(): (customer: string) => string {
  const key = randomBytes(32)
  return (customer) => createHmac('sha256', key).update(customer).digest('base64url').slice(0, SHOWN_CHARACTERS)
}
