import type { NewShape } from '../types/types.ts'

/** Events of which shapes are kept; real services have some ten. */
export const MOST_EVENTS = 16
export const MOST_SHAPES = 32
/** A shape that was not seen for so long makes room for a new one. */
const SHAPE_KEPT_MS = 90 * 86_400_000

interface Known {
  readonly fingerprint: string
  readonly paths: readonly string[]
  readonly truncated: boolean
}

export function noveltyOf(event: string, shape: Known, known: readonly Known[]): NewShape {
  const { fingerprint } = shape
  if (known.length === 0) return { event, fingerprint, isFirst: true, gained: [], lost: [] }
  const own = new Set(shape.paths)
  const others = new Set(known.flatMap(({ paths }) => paths))
  // Of a shape that is cut, an absent path says nothing.
  const [first, ...rest] = known.filter(({ truncated }) => !truncated).map(({ paths }) => paths)
  const always = (first ?? []).filter((path) => rest.every((paths) => paths.includes(path)))
  return {
    event,
    fingerprint,
    isFirst: false,
    gained: shape.paths.filter((path) => !others.has(path)),
    lost: shape.truncated ? [] : always.filter((path) => !own.has(path)),
  }
}

/** The shape that makes room for another one: the one that was not seen for longest, if that is long. */
export function forgettable<S extends { readonly lastAt: number }>(shapes: readonly S[], now: number): S | undefined {
  const oldest = shapes.reduce<S | undefined>((a, b) => (a && a.lastAt <= b.lastAt ? a : b), undefined)
  return oldest && oldest.lastAt < now - SHAPE_KEPT_MS ? oldest : undefined
}
