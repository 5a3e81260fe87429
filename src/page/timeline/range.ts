/** Of all rows alike in height, those that are drawn. */
export interface Range {
  readonly from: number
  /** The first that is not drawn. */
  readonly to: number
}

/** So many are drawn above and below what is seen, so that a quick look meets no gap. */
const SPARE = 12
/** It moves in steps of so many, so that not each pixel draws anew. */
const STEP = 6

export function rangeOf(o: {
  readonly top: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
}): Range {
  const first = Math.floor(o.top / o.rowHeight / STEP) * STEP
  const seen = Math.ceil(o.height / o.rowHeight) + STEP
  return { from: Math.max(0, Math.min(first, o.count) - SPARE), to: Math.min(o.count, first + seen + SPARE) }
}

/** Where to scroll so that a row is seen; undefined where it is seen already. */
export function topToShow(o: {
  readonly index: number
  readonly top: number
  readonly height: number
  readonly rowHeight: number
}): number | undefined {
  const [begin, end] = [o.index * o.rowHeight, (o.index + 1) * o.rowHeight]
  if (begin < o.top) return begin
  return end > o.top + o.height ? end - o.height : undefined
}
