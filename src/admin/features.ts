import * as builtIn from '../built-in/admin-parts.ts'
import type { AllOf } from '../store/built-in.ts'
import type { CustomerOfNumber } from '../store/customers.ts'
import type { AdminPart } from './part.ts'
import type { ViewDeps } from './query.ts'
import type { Scope } from './scope.ts'

type BuiltIn = (typeof builtIn)[keyof typeof builtIn]

/** What the built-in features add, by their names. */
export const PARTS: ReadonlyMap<string, AdminPart> = new Map(Object.entries<AdminPart>(builtIn))

export type HealthOfFeatures = object & AllOf<ShownBy<'health'>>
type CustomerOfFeatures = object & AllOf<ShownBy<'ofCustomer'>>

/** What those features show that have this view. */
type ShownBy<View extends keyof AdminPart, Part = BuiltIn> =
  Part extends Readonly<Record<View, (...given: never[]) => Promise<infer Shown>>> ? Shown : never

/** Of the numbers that a person may see. */
export function seenHealth(health: HealthOfFeatures, numbers: Scope): HealthOfFeatures {
  const isSeen = ({ number }: { readonly number: string }) => numbers?.includes(number) ?? true
  const lists = Object.entries(health as Readonly<Record<string, readonly { readonly number: string }[]>>)
  return Object.fromEntries(lists.map(([name, rows]) => [name, rows.filter(isSeen)])) as HealthOfFeatures
}

export async function healthOfFeatures(deps: ViewDeps): Promise<HealthOfFeatures> {
  const all = await Promise.all([...PARTS.values()].map(async (part) => part.health?.(deps)))
  return Object.assign({}, ...all) as HealthOfFeatures
}

export async function customerOfFeatures(who: CustomerOfNumber, deps: ViewDeps): Promise<CustomerOfFeatures> {
  const all = await Promise.all([...PARTS.values()].map(async (part) => part.ofCustomer?.(who, deps)))
  return Object.assign({}, ...all) as CustomerOfFeatures
}
