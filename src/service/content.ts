import { SwitchhookError } from '../base/errors.ts'
import { isPublicHost } from '../base/host.ts'
import { kindOf } from '../base/value.ts'
import type { MessageType } from './contract.ts'
import { isMadeByTap, isUnsignedTap } from './tap-id.ts'

/** An option that the customer can tap: a reply button or a row of a list. Your bot receives `id` when it is tapped. */
export interface Option<Id extends string = string> {
  id: Id
  title: string
  /** A second line. Only for rows of a list. */
  description?: string | undefined
}

/** A text, a picture or a link. Accepted only inside the 24-hour window. */
export interface Freeform {
  readonly kind: 'text' | 'media' | 'link'
}

/** Buttons or a list. `ids` exists only for the type checker: the union of the options' ids. */
export interface Choice<Id extends string = string> {
  readonly kind: 'choice'
  readonly ids: Id
}

/** An approved template. Accepted inside and outside the window (GEN-05). */
export interface Template {
  readonly kind: 'template'
}

/** A one-time code in an approved template. Kept only in memory, and never shown (OTP-06). */
export interface OneTimeCode {
  readonly kind: 'code'
}

/** Everything that a bot can send inside the 24-hour window. A string is a text. */
export type Content = string | Freeform | Choice

/** The body of a send without its recipient. */
export type Wire = { readonly type: MessageType } & { readonly [field: string]: unknown }

/** What each builder, such as `text()`, returns: the public content, and the body of its send. */
export type Built<C> = C & { readonly wire: Wire }

/** Freezes the content, so that it gives the same bytes each time it is encoded. */
export function built<C extends { readonly kind: string }>(content: C, wire: Wire): Built<C> {
  return freeze({ ...content, wire })
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

/** Names an argument of a builder in an error message. */
export interface Argument {
  readonly builder: string
  readonly path: string
}

/** `why` must not contain a text of the message. */
export function refuse({ builder, path }: Argument, why: string): never {
  throw new SwitchhookError('content_invalid', `${builder}: ${path} ${why}`)
}

/** Checks only the type. The length is checked when the content is sent. */
export function string(argument: Argument, value: unknown, advice?: string): string {
  if (typeof value !== 'string')
    refuse(argument, `must be a string, got ${kindOf(value)}${advice === undefined ? '' : `: ${advice}`}`)
  if (!value.isWellFormed())
    refuse(
      argument,
      'contains half a character (a lone surrogate), because it was cut inside a character: cut by code points instead',
    )
  return value
}

/** Refuses an address that the upstream platform cannot fetch (SEND-05). Errors omit it: it may contain a secret. */
export function publicAddress(argument: Argument, value: unknown): string {
  const address = string(argument, value)
  const url = URL.parse(address)
  if (!url || url.protocol !== 'https:' || !/^https:\/\/\S+$/i.test(address))
    refuse(argument, 'must be a full https address: the upstream platform fetches it only by https')
  if (url.username !== '' || url.password !== '')
    refuse(argument, 'must not contain a user name or password: it is fetched anonymously')
  if (!isPublicHost(url.hostname))
    refuse(argument, 'points to this machine or a private network: the upstream platform cannot reach it')
  return address
}

/** Refuses an id in the form of `tap()` that `tap()` did not make: the bot would sign it for anybody. */
export function optionId(argument: Argument, option: { readonly id?: unknown }): string {
  const text = string(argument, option.id)
  if (isUnsignedTap(text) && !isMadeByTap(option, text))
    refuse(argument, 'has the form ~name.text of tap(): use the option that tap().option() returned, or another form')
  return text
}

/** The optional last argument of a builder. Refuses unknown members, because the service drops them silently. */
export function members<const Name extends string>(
  builder: string,
  value: unknown,
  known: readonly Name[],
): { readonly [K in Name]?: unknown } {
  const argument = { builder, path: 'the last argument' }
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(argument, `must be an object, got ${kindOf(value)}`)
  for (const name of Object.keys(value))
    if (!(known as readonly string[]).includes(name))
      refuse({ builder, path: JSON.stringify(name) }, `is unknown; the members here are ${known.join(', ') || 'none'}`)
  return value
}

export function array(argument: Argument, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) refuse(argument, `must be an array, got ${kindOf(value)}`)
  return value as unknown[]
}
