import * as builtIn from '../built-in/admin-parts.ts'
import type { AllOf } from '../store/database/effects-of-features.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'
import type { AdminPart } from './part.ts'
import type { ViewDeps } from './query.ts'
import { isSeenWithin, type Scope } from './scope.ts'

type BuiltIn = (typeof builtIn)[keyof typeof builtIn]

/** The parts of the built-in features, by the name of the feature. */
export const PARTS: ReadonlyMap<string, AdminPart> = new Map(Object.entries<AdminPart>(builtIn))

export type HealthOfFeatures = object & AllOf<ShownBy<'health'>>
type CustomerOfFeatures = object & AllOf<ShownBy<'ofCustomer'>>

/** What the method `View` resolves with, as a union over the features that have this method. */
type ShownBy<View extends keyof AdminPart, Part = BuiltIn> =
  Part extends Readonly<Record<View, (...given: never[]) => Promise<infer Shown>>> ? Shown : never

/** Leaves out rows of numbers that the person may not see. Counts stay unchanged: they cover all numbers. */
export function seenHealth(health: HealthOfFeatures, scope: Scope): HealthOfFeatures {
  const isSeen = isSeenWithin(scope)
  const all = Object.entries(health as Readonly<Record<string, number | readonly { readonly number: string }[]>>)
  const seen = all.map(([name, rows]) => [name, typeof rows === 'number' ? rows : rows.filter(isSeen)])
  return Object.fromEntries(seen) as HealthOfFeatures
}

export async function healthOfFeatures(deps: ViewDeps): Promise<HealthOfFeatures> {
  const all = await Promise.all([...PARTS.values()].map(async (part) => part.health?.(deps)))
  return Object.assign({}, ...all) as HealthOfFeatures
}

export async function customerOfFeatures(who: CustomerOfNumber, deps: ViewDeps): Promise<CustomerOfFeatures> {
  const all = await Promise.all([...PARTS.values()].map(async (part) => part.ofCustomer?.(who, deps)))
  return Object.assign({}, ...all) as CustomerOfFeatures
}
