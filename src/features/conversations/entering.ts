/** Made by `bot.conversation`. Pass it to `ctx.enter`, `chat.enter` or `bot.to(customer).enter`. */
export interface Conversation<I = void> {
  readonly name: string
  /** No value has this member. It only tells TypeScript the type of the input. */
  readonly input?: I
}

/** A member of `bot.to(customer)` and `ctx.to(customer)`. */
export interface EntersNext {
  /** Stores an item by which the customer enters a conversation. When it runs, the open conversation ends. */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
}

/** A member of a message's context. */
export interface EntersNow {
  /** Enters a conversation. Resolves when its script waits or has ended. The customer's open conversation ends. */
  enter<I>(conversation: Conversation<I>, ...input: I extends void ? [] : [I]): Promise<void>
}
