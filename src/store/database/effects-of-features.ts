import * as builtIn from '../../built-in/store-effects.ts'
import type { Steps } from './steps.ts'
import type { KeptRows, StoreEffects } from './store-effects.ts'
import type { Search } from './search.ts'

/** The intersection of the types of a union. */
export type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

type BuiltIn = typeof builtIn

const NAMED = Object.entries<StoreEffects>(builtIn)

/** The `StoreEffects` of all built-in features, sorted by name. They act in this order within one commit. */
export const EFFECTS = NAMED.map(([, effects]) => effects)

export function* eachDoes(effect: (effects: StoreEffects) => Steps<unknown> | undefined): Steps<void> {
  for (const effects of EFFECTS) {
    const steps = effect(effects)
    if (steps) yield* steps
  }
}

type OverviewOfFeatures = {
  readonly [Name in keyof BuiltIn as BuiltIn[Name] extends { overview(): unknown }
    ? Name
    : never]: BuiltIn[Name] extends {
    overview(): Steps<infer Counted>
  }
    ? Counted
    : never
}

export function* overviewOfFeatures(): Steps<OverviewOfFeatures> {
  const found: [string, unknown][] = []
  for (const [name, { overview }] of NAMED) if (overview) found.push([name, yield* overview()])
  return Object.fromEntries(found) as OverviewOfFeatures
}

/** Changes of built-in features in the commit of a settlement, by the names of the features. */
export type ChangesOfFeatures = {
  readonly [Name in keyof typeof builtIn]?: (typeof builtIn)[Name] extends {
    settled(item: number, changes: infer Changes, now: number): Steps<void>
  }
    ? Changes
    : never
}

export function* writeChanges(item: number, changes: ChangesOfFeatures, now: number): Steps<void> {
  for (const [name, { settled }] of NAMED) {
    const theirs = changes[name as keyof ChangesOfFeatures]
    if (settled && theirs) yield* settled(item, theirs as never, now)
  }
}

/** The kinds of the bot's own items that built-in features add. */
export type KindOfFeatures = KindsOf<(typeof builtIn)[keyof typeof builtIn]>

type KindsOf<Effects> = Effects extends { readonly kinds: infer Kinds extends object } ? keyof Kinds & string : never

type SearchedFeature = {
  [Name in keyof BuiltIn]: BuiltIn[Name] extends { readonly search: Search } ? Name : never
}[keyof BuiltIn]

/** The searches for old rows of features, by the names of the features. */
export const SEARCHES_OF_FEATURES = Object.fromEntries(
  NAMED.flatMap(([name, { search }]) => (search ? [[name, search]] : [])),
) as Readonly<Record<SearchedFeature, Search>>

/** Rows that features store about a customer, by the names of these rows. */
export const KEPT_BY_FEATURES = Object.assign({}, ...EFFECTS.map(({ ofCustomer }) => ofCustomer.kept)) as Readonly<
  Record<keyof AllOf<BuiltIn[keyof BuiltIn]['ofCustomer']['kept']>, KeptRows>
>
