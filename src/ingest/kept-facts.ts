import type { Facts, FactValues, View } from '../payload/facts.ts'

/** The facts that an item keeps: their values, and which of them are reliable. */
export interface KeptFacts {
  readonly values: Partial<FactValues>
  /** The names of the reliable facts, on which sends and windows may depend. */
  readonly sure: readonly string[]
  /** The names of the reliable facts that the app maps. */
  readonly mapped: readonly string[]
  /** The app's own facts, by the app's own names. */
  readonly own: Readonly<Record<string, unknown>>
}

/**
 * The facts of a view that an item keeps, also as JSON. `isPlain`: no text among them needs an escape as JSON, so that
 * long texts need not be looked through.
 */
export function keepFacts(
  { facts, own }: View,
  isPlain: boolean,
): { readonly facts: KeptFacts; readonly json: string } {
  const values: Record<string, unknown> = {}
  const sure: string[] = []
  const mapped: string[] = []
  let json = '{"values":{'
  let before = '"'
  for (const name of Object.keys(facts) as (keyof Facts)[]) {
    const reading = facts[name]
    if (reading === undefined) continue
    const { value } = reading
    // The payload reader keeps a time that no clock can show, but a table cannot.
    if (name !== 'at' || Number.isSafeInteger(value)) {
      values[name] = value
      if (isPlain) json += `${before}${name}":${typeof value === 'string' ? `"${value}"` : asJson(value)}`
      before = ',"'
    }
    if (reading.sure) sure.push(name)
    if (reading.sure && reading.how === 'mapped') mapped.push(name)
  }
  const kept = { values, sure, mapped, own: own ? ownIn(own) : {} }
  if (!isPlain) return { facts: kept, json: JSON.stringify(kept) }
  const rest = `"mapped":${namesAsJson(mapped)},"own":${own ? JSON.stringify(kept.own) : '{}'}}`
  return { facts: kept, json: `${json}},"sure":${namesAsJson(sure)},${rest}` }
}

function asJson(value: unknown): string {
  return typeof value === 'number' ? `${value}` : JSON.stringify(value)
}

// Own code, because it runs for each message: `join` and `stringify` cost more than the names are worth.
function namesAsJson(names: readonly string[]): string {
  let json = ''
  for (const name of names) json += json === '' ? `"${name}"` : `,"${name}"`
  return `[${json}]`
}

function ownIn(own: NonNullable<View['own']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(own).map(([name, { value }]) => [name, value]))
}
