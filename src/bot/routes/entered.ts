/** A route that a customer enters, such as a conversation. */
export interface EnteredRoute {
  /** The first part of the route's id, such as `conversation`. Texts for people use it too. */
  readonly kind: string
  readonly name: string
  /** The whole texts that the route matches while a customer is in it, as `bare` makes them. */
  readonly words: readonly string[]
  readonly wordsOption: string
}
