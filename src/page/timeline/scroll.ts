import { computed, signal, useComputed, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { query } from '../state/view.ts'
import { countAfter, isRow, rangeOf, topToShow } from './entries.ts'
import { cursor, entries, wantedRow } from './list-state.ts'

/** The place of a list that is drawn in `box`. */
export function usePlace(rowHeight: number) {
  const box = useRef<HTMLDivElement>(null)
  const place = useMemo(() => createPlace(rowHeight), [rowHeight])
  const isDrawn = useComputed(() => entries.value.length > 0).value
  const all = entries.value

  useLayoutEffect(() => {
    place.drawnIn(box.current)
    place.changed()
  }, [all])

  useEffect(() => {
    if (box.current === null) return undefined
    const watch = new ResizeObserver(place.resized)
    watch.observe(box.current)
    return () => watch.disconnect()
  }, [isDrawn])

  useSignalEffect(() => {
    if (wantedRow.value !== '') place.toWanted()
  })

  // What is searched for begins at its newest row.
  useSignalEffect(() => {
    void query.value
    place.startAnew()
  })

  return { box, place }
}

/** So near to its end a reader is taken to follow what comes. */
const NEAR_PX = 8

/** Where the list stands, and what of it is drawn. It stays at its newest row unless the reader goes back. */
export function createPlace(rowHeight: number) {
  let box: HTMLElement | null = null
  const top = signal(0)
  const height = signal(0)
  /** Down to which row all was seen, by its `seq`; undefined while the reader follows. */
  const seenTo = signal<number | undefined>(undefined)
  /** What a reader who went back has at the top. */
  let anchor: { readonly id: string; readonly index: number } | undefined

  const range = computed(() => ({ top: top.value, height: height.value, rowHeight, count: entries.value.length }))
  const from = computed(() => rangeOf(range.value).from)
  const to = computed(() => rangeOf(range.value).to)
  const unseen = computed(() => (seenTo.value === undefined ? 0 : countAfter(entries.value, seenTo.value)))

  /** The reader has scrolled. Where the size is another too, nobody did: `resized` takes that in. */
  function look(): void {
    if (box && box.clientHeight === height.peek()) takeIn(box.scrollTop)
  }

  function takeIn(scrolledTo: number): void {
    top.value = scrolledTo
    const all = entries.peek()
    const follows = all.length * rowHeight - scrolledTo - height.peek() < NEAR_PX
    if (follows) seenTo.value = undefined
    else seenTo.value ??= all.findLast(isRow)?.seq
    const index = Math.floor(scrolledTo / rowHeight)
    anchor = follows || !all[index] ? undefined : { id: all[index].id, index }
  }

  /** Where it is then is reckoned, not read: reading would lay out the whole page at each happening. */
  function scrollTo(wanted: number): void {
    const end = Math.max(0, entries.peek().length * rowHeight - height.peek())
    const there = Math.min(end, Math.max(0, wanted))
    if (box) box.scrollTop = there
    takeIn(there)
  }

  function toEnd(): void {
    scrollTo(Number.POSITIVE_INFINITY)
  }

  /** To the row that somebody asked for; in a pane that is not shown yet that waits. */
  function toWanted(): void {
    const index = indexOf(wantedRow.peek())
    if (index < 0 || height.peek() === 0) return
    wantedRow.value = ''
    const there = topToShow({ index, top: top.peek(), height: height.peek(), rowHeight })
    if (there !== undefined) scrollTo(there)
  }

  function isInSight(id: string): boolean {
    const index = indexOf(id)
    return index >= 0 && topToShow({ index, top: top.peek(), height: height.peek(), rowHeight }) === undefined
  }

  return {
    from,
    to,
    unseen,
    look,
    toEnd,
    toWanted,
    /** The list is drawn in `it` from now on. */
    drawnIn(it: HTMLElement | null): void {
      box = it
    },
    /** It was shown, or has grown or shrunk with the details: what the keyboard is at stays in sight. */
    resized(): void {
      const kept = isInSight(cursor.peek()) ? cursor.peek() : ''
      const follows = seenTo.peek() === undefined
      height.value = box?.clientHeight ?? 0
      look()
      if (follows) toEnd()
      if (kept !== '' && wantedRow.peek() === '') wantedRow.value = kept
      toWanted()
    },
    /** There are other entries: what is read stays where it is, also where rows at the front were forgotten. */
    changed(): void {
      if (seenTo.peek() === undefined) return toEnd()
      const index = anchor === undefined ? -1 : indexOf(anchor.id)
      const moved = anchor && index >= 0 ? index - anchor.index : 0
      if (moved !== 0) scrollTo(top.peek() + moved * rowHeight)
    },
    /** As if nobody had gone back. */
    startAnew(): void {
      seenTo.value = undefined
    },
  }
}

function indexOf(id: string): number {
  return id === '' ? -1 : entries.peek().findIndex((entry) => entry.id === id)
}
