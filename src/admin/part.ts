import type { Desk } from '../bot/inbox/bot-internals.ts'
import type { CustomerOfNumber } from '../store/customers.ts'
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

/** An act that was prepared: nothing has changed yet. */
export interface ReadyAct {
  readonly what: string
  readonly numbers?: readonly string[] | undefined
  run(): Promise<Done>
}

export type RouteDeps = Omit<ViewDeps, 'revealed'> & { readonly deskAddress?: string | undefined }

/** What a built-in feature adds to the admin page's server. Its views lie at `api/` and its name. */
export interface AdminPart {
  list(query: URLSearchParams, deps: ViewDeps): Promise<unknown>
  show?(id: string, deps: ViewDeps, query: URLSearchParams): Promise<{ readonly number: string }>
  /** What the record of acts calls one row. */
  readonly row?: string
  /** Answers to its requests, by name. Each body was checked. */
  readonly posts?: Readonly<Record<string, (body: never, visitor: Visitor, deps: RouteDeps) => Promise<unknown>>>
  readonly acts: Readonly<Record<string, (asked: never, deps: ActDeps) => Promise<ReadyAct>>>
  /** Who may do its acts, if not everybody who may act; and what others may not, in words. */
  readonly right?: { isGiven(visitor: Visitor): Promise<boolean>; readonly what: string }
  /** Rows for the overview, of all numbers. */
  health?(deps: ViewDeps): Promise<Readonly<Record<string, readonly { readonly number: string }[]>>>
  /** What it adds to the view of one customer. */
  ofCustomer?(who: CustomerOfNumber, deps: ViewDeps): Promise<object>
}
