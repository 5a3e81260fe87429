import * as builtIn from '../built-in/store-effects.ts'
import type { Steps } from './steps.ts'
import type { KeptRows, StoreEffects } from './store-effects.ts'

/** What all types of a union have together. */
export type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

type BuiltIn = typeof builtIn

const NAMED = Object.entries<StoreEffects>(builtIn)

/** The effects of all built-in features. They run in this order within one commit: a module's exports are sorted by name. */
export const EFFECTS = NAMED.map(([, effects]) => effects)

/** Runs an effect of each feature that has it. */
export function* eachDoes(effect: (effects: StoreEffects) => Steps<unknown> | undefined): Steps<void> {
  for (const effects of EFFECTS) {
    const steps = effect(effects)
    if (steps) yield* steps
  }
}

type OverviewOfFeatures = {
  readonly [Name in keyof BuiltIn as BuiltIn[Name] extends { overview(): unknown } ? Name : never]: unknown
}

export function* overviewOfFeatures(): Steps<OverviewOfFeatures> {
  const found: [string, unknown][] = []
  for (const [name, { overview }] of NAMED) if (overview) found.push([name, yield* overview()])
  return Object.fromEntries(found) as OverviewOfFeatures
}

/** What features keep of a customer, by its name. */
export const KEPT_BY_FEATURES = Object.assign({}, ...EFFECTS.map(({ ofCustomer }) => ofCustomer.kept)) as Readonly<
  Record<keyof AllOf<BuiltIn[keyof BuiltIn]['ofCustomer']['kept']>, KeptRows>
>
