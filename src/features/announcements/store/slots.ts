/** The reason of a send that was cancelled because its announcement sends no more. */
export const NOT_RUNNING = 'its announcement was paused or cancelled'

/** The first word of the slot of each message of an announcement. */
export const SLOT_WORD = 'announcement'

/** A slot of the app's own keys is a JSON list. This slot is not, so the two are never equal. */
export function slotOfRecipient(name: string, customer: string, resends = 0): string {
  return `${SLOT_WORD} ${name} ${customer}${resends > 0 ? ` ${resends}` : ''}`
}
