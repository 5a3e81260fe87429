/** Made by `bot.conversation`. Pass it to `ctx.enter`, `chat.enter` or `bot.to(customer).enter`. */
export interface Conversation<I = void> {
  readonly name: string
  /** Exists only for types. */
  readonly input?: I
}

/** A member of `bot.to(customer)` and `ctx.to(customer)`. */
export interface EntersNext {
  /** Makes this customer enter a conversation as their next item. An open conversation ends. The request is stored. */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
}

/** A member of a message's context. */
export interface EntersNow {
  /** Resolves when the script waits or has ended. An open conversation ends. `input` is stored as JSON. */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
}
