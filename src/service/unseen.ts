/** Blanks, and characters without a shape, such as U+200B and U+2800. */
export const UNSEEN = /[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Tells whether a text shows nothing. False for an empty text, which the service's limits refuse. */
export function isUnseen(text: unknown): boolean {
  return typeof text === 'string' && text !== '' && text.replaceAll(UNSEEN, '') === ''
}
