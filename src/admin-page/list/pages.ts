import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Page } from '../../admin/api.ts'
import { get, post } from '../wire/ask.ts'
import { isRevealed, maskAgain } from '../state/shown.ts'
import { grown, type ReadRows } from './read-rows.ts'

/** The rows of a list that were asked for so far. */
export interface Pages<Row> {
  readonly read: Signal<ReadRows<Row>>
  /** True once the first page has come. */
  readonly isLoaded: Signal<boolean>
  readonly problem: Signal<string>
  /** The list has changed since its rows were read, and the reader is somewhere in it: rows do not move by themselves. */
  readonly isStale: Signal<boolean>
  /** Asks for the next page, unless one is under way. */
  more(): void
  refresh(): void
  /** Asks for nothing more: the reader has left. */
  leave(): void
  /** Reads anew if the reader sees the first page; otherwise the list is stale. */
  changed(): void
}

const ROWS_OF_A_PAGE = 200

/** Reads a list page by page. `path` has the filters: `api/deliveries?state=dead`. */
export function usePages<Row>(path: string, version: number): Pages<Row> {
  const reveal = isRevealed(path)
  const pages = useMemo(() => createPages<Row>(path, reveal), [path, reveal])
  useEffect(() => {
    pages.refresh()
    return () => pages.leave()
  }, [pages])
  const seen = useRef(version)
  useEffect(() => {
    if (version !== seen.current && !reveal) pages.changed()
    seen.current = version
  }, [version])
  return pages
}

function createPages<Row>(path: string, reveal: boolean): Pages<Row> {
  const read = signal<ReadRows<Row>>({ rows: [], pages: 0 })
  const isLoaded = signal(false)
  const problem = signal('')
  const isStale = signal(false)
  const next = signal<string | undefined>(undefined)
  /** Counts refreshes: the answer to an older question is dropped. */
  let generation = 0
  let isAsking = false

  function ask(after: string | undefined): Promise<Page<Row>> {
    const cursor = after === undefined ? '' : `&after=${encodeURIComponent(after)}`
    const asked = `${path}${path.includes('?') ? '&' : '?'}limit=${ROWS_OF_A_PAGE}${cursor}`
    return reveal ? post<Page<Row>>('api/reveal', { view: asked }) : get<Page<Row>>(asked)
  }

  function take(after: string | undefined): void {
    const mine = generation
    isAsking = true
    ask(after).then(
      (page) => {
        if (mine !== generation) return
        isAsking = false
        read.value = grown(after === undefined ? { rows: [], pages: 0 } : read.peek(), page.rows)
        next.value = page.next
        isLoaded.value = true
        problem.value = ''
        // A filter without an index looks through a part of the rows for each question, and may find none in it.
        if (page.rows.length === 0 && page.next !== undefined) take(page.next)
      },
      (error: Error) => {
        if (mine !== generation) return
        isAsking = false
        problem.value = error.message
        if (reveal && after === undefined) maskAgain(path, error.message)
      },
    )
  }

  function refresh(): void {
    generation++
    isStale.value = false
    take(undefined)
  }

  return {
    read,
    isLoaded,
    problem,
    isStale,
    more() {
      if (!isAsking && next.peek() !== undefined) take(next.peek())
    },
    refresh,
    leave: () => void generation++,
    changed() {
      if (read.peek().pages <= 1) refresh()
      else isStale.value = true
    },
  }
}
