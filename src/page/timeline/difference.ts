/** The first place where two texts differ; undefined where they are the same. */
export function firstDifference(one: string, other: string): number | undefined {
  if (one === other) return undefined
  const length = Math.min(one.length, other.length)
  for (let place = 0; place < length; place++) if (one[place] !== other[place]) return place
  return length
}

/**
 * The first byte, from 0, that a body would have otherwise had a parser read it and written it again; undefined where
 * that would change nothing, or where it is no JSON.
 */
export function reserialisedAt(body: string): number | undefined {
  try {
    const place = firstDifference(body, JSON.stringify(JSON.parse(body)))
    return place === undefined ? undefined : new TextEncoder().encode(body.slice(0, place)).length
  } catch {
    return undefined
  }
}
