/** A route that a customer enters, such as a conversation. */
export interface EnteredRoute {
  /** The first part of its id, and what messages call it. */
  readonly kind: string
  readonly name: string
  /** The whole texts that it matches while it is open, in the form that is compared, and the option that names them. */
  readonly words: readonly string[]
  readonly wordsOption: string
}
