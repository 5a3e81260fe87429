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

/** Buttons or a list. `ids` is for types alone, the union of its options' ids, so that an answer to it is typed. */
export interface Choice<Id extends string = string> {
  readonly kind: 'choice'
  readonly ids: Id
}

/** An approved template: what can be said inside the window and outside it (GEN-05). */
export interface Template {
  readonly kind: 'template'
}

/** A code to prove who somebody is, in an approved template; in memory alone, and shown by nothing (OTP-06). */
export interface OneTimeCode {
  readonly kind: 'code'
}

/** What a bot can say inside the 24-hour window; a string is a text. */
export type Content = string | Freeform | Choice

/** A send's body but for its recipient, in the service's own spelling. */
export type Wire = { readonly type: MessageType } & { readonly [field: string]: unknown }

/** What every builder makes: its kind for the reader, its wire form for the way out. */
export type Built<Shown> = Shown & { readonly wire: Wire }

/** Frozen to its depth, since its bytes must be the same whenever they are made. */
export function built<Shown extends { readonly kind: string }>(shown: Shown, wire: Wire): Built<Shown> {
  return freeze({ ...shown, wire })
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}
