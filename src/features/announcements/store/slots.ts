/** The reason of a send that was cancelled because its announcement sends no more. */
export const NOT_RUNNING = 'its announcement was paused or cancelled'

/** The first word of each slot. */
export const SLOT_WORD = 'announcement'

/**
 * Returns the slot of a message of an announcement. It is not a JSON list, so it never equals a slot of the app's own
 * keys.
 */
export function slotOfRecipient(name: string, customer: string, generation = 0): string {
  return `${SLOT_WORD} ${name} ${customer}${generation > 0 ? ` ${generation}` : ''}`
}
