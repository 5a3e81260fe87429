import type { Content } from '../../service/content.ts'

/** A reply: the content, or a function that returns it, for instance in the customer's language. */
export type Told<C> = Content | ((ctx: C) => Content | Promise<Content>)

export function contentFor<C>(content: Told<C>, ctx: C): Content | Promise<Content> {
  return typeof content === 'function' ? content(ctx) : content
}
