import type { KeptFacts } from './read-item.ts'

/**
 * The facts as JSON, as `JSON.stringify` makes it. `isPlain`: no text among them needs an escape, so that long texts
 * need not be looked through.
 */
export function factsAsJson(facts: KeptFacts, isPlain: boolean): string {
  if (!isPlain) return JSON.stringify(facts)
  let values = ''
  for (const name of Object.keys(facts.values) as (keyof KeptFacts['values'])[]) {
    const value = facts.values[name]
    if (values !== '') values += ','
    values += `"${name}":`
    values += typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  }
  const own = Object.keys(facts.own).length === 0 ? '{}' : JSON.stringify(facts.own)
  return `{"values":{${values}},"sure":${asJson(facts.sure)},"mapped":${asJson(facts.mapped)},"own":${own}}`
}

function asJson(names: readonly string[]): string {
  let json = ''
  for (const name of names) json += json === '' ? `"${name}"` : `,"${name}"`
  return `[${json}]`
}
