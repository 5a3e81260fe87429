import type { MessageType } from '../contract/index.ts'

/** One thing that the customer may tap: a reply button or a row of a list. `id` comes back when it is tapped. */
export interface Option<Id extends string = string> {
  id: Id
  title: string
  /** A second line; rows of a list have it, buttons do not. */
  description?: string | undefined
}

/** A text, a picture, a link: what can be said inside the 24-hour window. */
export interface Freeform {
  readonly kind: 'text' | 'media' | 'link'
}

/** Buttons or a list; `ids` are those of its options, so that an answer to it is typed. */
export interface Choice<Id extends string = string> {
  readonly kind: 'choice'
  readonly ids: readonly Id[]
}

/** An approved template: what can be said inside the window and outside it (GEN-05). */
export interface Template {
  readonly kind: 'template'
}

/** What a bot can say inside the 24-hour window; a string is a text. */
export type Content = string | Freeform | Choice

/** A send's body but for its recipient, in the service's own spelling. */
export type Wire = { readonly type: MessageType } & { readonly [field: string]: unknown }

/** What every builder makes: its kind for the reader, its wire form for the way out. */
export type Built<Shown> = Shown & { readonly wire: Wire }

/** Frozen to its depth, since it was checked as it is now. */
export function built<Shown extends { readonly kind: string }>(shown: Shown, wire: Wire): Built<Shown> {
  return freeze({ ...shown, wire })
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}
