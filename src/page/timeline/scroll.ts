import { computed, signal, useComputed, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { query } from '../state/view.ts'
import { countLinesAfter, type Entry, scrollTopToShow, seqOf, visibleRange } from './entries.ts'
import { cursor, entries, scrollTarget, toggledTurn } from './list-state.ts'

export function useListScroll(rowHeight: number) {
  const box = useRef<HTMLDivElement>(null)
  const scroll = useMemo(() => createListScroll(rowHeight), [rowHeight])
  const isRendered = useComputed(() => entries.value.length > 0).value
  const all = entries.value

  useLayoutEffect(() => {
    scroll.attach(box.current)
    scroll.onEntriesChanged()
  }, [all])

  useEffect(() => {
    if (box.current === null) return undefined
    const observer = new ResizeObserver(scroll.onResize)
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [isRendered])

  useSignalEffect(() => {
    if (scrollTarget.value !== '') scroll.showTarget()
  })

  // The results of a new search begin at the newest row.
  useSignalEffect(() => {
    void query.value
    scroll.followEnd()
  })

  return { box, scroll }
}

/** A reader this close to the end wants to follow new rows. */
const END_TOLERANCE_PX = 8

/**
 * Keeps the scroll position of the list and the range of entries to render. The list follows its newest row until the
 * reader scrolls back; then the rows that are being read stay where they are, and new ones are counted.
 */
function createListScroll(rowHeight: number) {
  let box: HTMLElement | null = null
  const top = signal(0)
  const height = signal(0)
  /** The `seq` of the last line when the reader scrolled back; undefined while the list follows its end. */
  const seenTo = signal<number | undefined>(undefined)
  /** The entry at the top, for a reader who scrolled back. */
  let anchor: { readonly id: string; readonly index: number } | undefined

  const range = computed(() =>
    visibleRange({ top: top.value, height: height.value, rowHeight, count: entries.value.length }),
  )
  const from = computed(() => range.value.from)
  const to = computed(() => range.value.to)
  const unseen = computed(() => (seenTo.value === undefined ? 0 : countLinesAfter(entries.value, seenTo.value)))

  /** Takes in a scroll by the reader. If the size has changed too, the browser scrolled, and `onResize` handles it. */
  function onScroll(): void {
    if (box && box.clientHeight === height.peek()) moved(box.scrollTop)
  }

  function moved(scrollTop: number): void {
    top.value = scrollTop
    const all = entries.peek()
    const isAtEnd = all.length * rowHeight - scrollTop - height.peek() < END_TOLERANCE_PX
    if (isAtEnd) seenTo.value = undefined
    else seenTo.value ??= lastSeq(all)
    const index = Math.floor(scrollTop / rowHeight)
    anchor = isAtEnd || !all[index] ? undefined : { id: all[index].id, index }
  }

  /** Computes the new position and does not read it back: reading would lay out the whole page at each happening. */
  function scrollTo(wanted: number): void {
    const end = Math.max(0, entries.peek().length * rowHeight - height.peek())
    const position = Math.min(end, Math.max(0, wanted))
    if (box) box.scrollTop = position
    moved(position)
  }

  function toEnd(): void {
    scrollTo(Number.POSITIVE_INFINITY)
  }

  /** Scrolls to the target row. If the pane is not shown yet, the target waits. */
  function showTarget(): void {
    const index = indexOf(scrollTarget.peek())
    if (index < 0 || height.peek() === 0) return
    scrollTarget.value = ''
    const position = scrollTopToShow({ index, top: top.peek(), height: height.peek(), rowHeight })
    if (position !== undefined) scrollTo(position)
  }

  /** Keeps the line of the toggled turn where it is; only rows that would be out of sight below it move it up. */
  function showToggled(): void {
    const index = indexOf(toggledTurn.peek())
    toggledTurn.value = ''
    const line = entries.peek()[index]
    if (line?.kind !== 'turn') return
    const end = (index + 1 + (line.isOpen ? line.turn.rows.length : 0)) * rowHeight
    scrollTo(Math.max(top.peek(), Math.min(index * rowHeight, end - height.peek())))
  }

  function isInSight(id: string): boolean {
    const index = indexOf(id)
    return index >= 0 && scrollTopToShow({ index, top: top.peek(), height: height.peek(), rowHeight }) === undefined
  }

  return {
    from,
    to,
    unseen,
    onScroll,
    toEnd,
    showTarget,
    attach(element: HTMLElement | null): void {
      box = element
    },
    /** The list was shown, or the details have changed its size: the cursor stays in sight if it was. */
    onResize(): void {
      const kept = isInSight(cursor.peek()) ? cursor.peek() : ''
      const follows = seenTo.peek() === undefined
      height.value = box?.clientHeight ?? 0
      onScroll()
      if (follows) toEnd()
      if (kept !== '' && scrollTarget.peek() === '') scrollTarget.value = kept
      showTarget()
    },
    /** Keeps the anchor at its place, even if older rows were dropped before it. */
    onEntriesChanged(): void {
      if (toggledTurn.peek() !== '') return showToggled()
      if (seenTo.peek() === undefined) return toEnd()
      const index = anchor === undefined ? -1 : indexOf(anchor.id)
      const shift = anchor && index >= 0 ? index - anchor.index : 0
      if (shift !== 0) scrollTo(top.peek() + shift * rowHeight)
    },
    followEnd(): void {
      seenTo.value = undefined
    },
  }
}

function lastSeq(all: readonly Entry[]): number | undefined {
  const last = all.findLast((entry) => seqOf(entry) !== undefined)
  return last && seqOf(last)
}

function indexOf(id: string): number {
  return id === '' ? -1 : entries.peek().findIndex((entry) => entry.id === id)
}
