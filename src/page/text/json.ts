export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** A deeper value would run out of stack as it is drawn, and one with more members would take seconds. */
const DEEPEST = 100
const MOST = 3_000

/** Whether a value can be shown as a tree that folds. */
export function fitsTree(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length
    if (depth > DEEPEST || count > MOST) return false
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return true
}
