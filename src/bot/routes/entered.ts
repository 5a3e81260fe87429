/** A route that a customer enters, such as a conversation. */
export interface EnteredRoute {
  /** The first part of its id. Texts for people call the route by it. */
  readonly kind: string
  readonly name: string
  /** The whole texts that it matches while it is open, as `bare` makes them. */
  readonly words: readonly string[]
  readonly wordsOption: string
}
