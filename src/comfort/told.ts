import type { Content, Env, MessageContext } from '../index.ts'

/** What a customer is told: the content itself, or what makes it, for instance in the customer's language. */
export type Told<C> = Content | ((ctx: C) => Content | Promise<Content>)

export function contentOf<C extends MessageContext<Env>>(told: Told<C>, ctx: C): Content | Promise<Content> {
  return typeof told === 'function' ? told(ctx) : told
}
