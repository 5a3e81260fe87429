import type { Facts, FactValues, View } from './payload/facts.ts'

/** The facts that an item keeps: their values, and which of them are reliable. */
export interface KeptFacts {
  readonly values: Partial<FactValues>
  /** The names of the reliable facts, on which sends and windows may depend. */
  readonly sure: readonly string[]
  readonly mapped: readonly string[]
  /** The app's own facts, by the app's own names. */
  readonly own: Readonly<Record<string, unknown>>
}

export function keepFacts({ facts, own }: View): KeptFacts {
  const values: Record<string, unknown> = {}
  const sure: string[] = []
  const mapped: string[] = []
  for (const name of Object.keys(facts) as (keyof Facts)[]) {
    const reading = facts[name]
    if (reading === undefined) continue
    // The payload reader keeps a time that no clock can show, but a table cannot.
    if (name !== 'at' || Number.isSafeInteger(reading.value)) values[name] = reading.value
    if (reading.sure) sure.push(name)
    if (reading.sure && reading.how === 'mapped') mapped.push(name)
  }
  return { values, sure, mapped, own: own ? ownIn(own) : {} }
}

function ownIn(own: NonNullable<View['own']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).map(([name, { value }]) => [name, value]))
}
