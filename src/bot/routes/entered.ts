/** A route that a customer enters, such as a conversation. A built-in feature runs it, for as long as it is open. */
export interface EnteredRoute {
  /** The first part of its id, and what messages call it. */
  readonly kind: string
  readonly name: string
  /** Whole texts that it takes while it is open, in the form in which they are compared; and the app's option for them. */
  readonly words: readonly string[]
  readonly wordsOption: string
}
