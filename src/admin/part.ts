import type { Desk } from '../bot/bot-internals.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'
import type { Visitor } from './door.ts'
import type { Handles } from './handles.ts'
import type { ViewDeps } from './query.ts'
import type { Done } from './requests.ts'
import type { Scope } from './scope.ts'

export interface ActDeps {
  readonly desk: Desk
  readonly handles: Handles
  readonly scope: Scope
}

/** An act that is possible. Nothing has changed yet. */
export interface ReadyAct {
  readonly what: string
  readonly numbers?: readonly string[] | undefined
  run(): Promise<Done>
}

export type RouteDeps = Omit<ViewDeps, 'revealed'> & { readonly deskAddress?: string | undefined }

/** The part of the admin page's server that belongs to a built-in feature. Its views are at `api/<name>`. */
export interface AdminPart {
  list?(query: URLSearchParams, deps: ViewDeps): Promise<unknown>
  show?(id: string, deps: ViewDeps, query: URLSearchParams): Promise<{ readonly number: string }>
  /** The word for one row, such as `announcement`. The record of acts uses it. */
  readonly row?: string
  /** Answers to POST requests, by name. `body` was checked. */
  readonly posts?: Readonly<Record<string, (body: never, visitor: Visitor, deps: RouteDeps) => Promise<unknown>>>
  readonly acts?: Readonly<Record<string, (asked: never, deps: ActDeps) => Promise<ReadyAct>>>
  /** Who may do the feature's acts. Default: everybody who may act. `what`: the acts in words, for a refusal. */
  readonly right?: { isGiven(visitor: Visitor): Promise<boolean>; readonly what: string }
  /** Rows and counts for the overview, of all numbers. Everybody may see the counts. */
  health?(deps: ViewDeps): Promise<Readonly<Record<string, number | readonly { readonly number: string }[]>>>
  /** Members that the feature adds to the view of one customer. */
  ofCustomer?(who: CustomerOfNumber, deps: ViewDeps): Promise<object>
}
