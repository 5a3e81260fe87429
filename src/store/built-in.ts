import * as builtIn from '../built-in/store-effects.ts'
import type { Steps } from './steps.ts'
import type { StoreEffects } from './store-effects.ts'

const NAMED = Object.entries<StoreEffects>(builtIn)

/** The effects of all built-in features. */
export const EFFECTS = NAMED.map(([, effects]) => effects)

/** One for each built-in feature, by its name. */
export type OfEach<T> = { readonly [Name in keyof typeof builtIn]: T }

export function eachOf<T>(of: (effects: StoreEffects, name: string) => T): OfEach<T> {
  return Object.fromEntries(NAMED.map(([name, effects]) => [name, of(effects, name)])) as OfEach<T>
}

export function* askEach<T>(ask: (effects: StoreEffects) => Steps<T>): Steps<OfEach<T>> {
  const found: [string, T][] = []
  for (const [name, effects] of NAMED) found.push([name, yield* ask(effects)])
  return Object.fromEntries(found) as OfEach<T>
}
