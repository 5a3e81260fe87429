import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Page } from '../admin/api.ts'
import { counted } from './parts.tsx'
import { linkTo, type View } from './place.ts'
import { get, post, version, visitor } from './server.ts'
import { isRevealed, maskAgain } from './shown.tsx'

interface Read<Row> {
  readonly pages: readonly (readonly Row[])[]
  readonly next: string | undefined
  readonly isLoaded: boolean
  readonly problem: string
  /** The list has changed, and the person has scrolled in it: its rows stay where they are. */
  readonly isStale: boolean
}

interface Pages<Row> {
  readonly read: Signal<Read<Row>>
  more(): void
  refresh(): void
  /** Drops the answers that are under way. */
  leave(): void
  /** Reads the first page again if it is the only one. Otherwise the list is stale. */
  changed(): void
}

const BLANK = { pages: [], next: undefined, isLoaded: false, problem: '', isStale: false } as const
const ROWS_OF_A_PAGE = 200

/** Reads a list page by page. `path` contains the filters: `api/deliveries?state=dead`. */
export function usePages<Row>(path: string): Pages<Row> {
  const reveal = isRevealed(path)
  const pages = useMemo(() => createPages<Row>(path, reveal), [path, reveal])
  useEffect(() => {
    pages.refresh()
    return () => pages.leave()
  }, [pages])
  const seen = useRef(version.value)
  useEffect(() => {
    if (version.value !== seen.current && !reveal) pages.changed()
    seen.current = version.value
  }, [version.value])
  return pages
}

function createPages<Row>(path: string, reveal: boolean): Pages<Row> {
  const read = signal<Read<Row>>(BLANK)
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
      ({ rows, next }) => {
        if (mine !== generation) return
        isAsking = false
        const before = after === undefined ? BLANK : read.peek()
        read.value = { ...before, pages: [...before.pages, rows], next, isLoaded: true, problem: '' }
        // A filter without an index reads a part of the rows for each question, and may find none in it.
        if (rows.length === 0 && next !== undefined) take(next)
      },
      (error: Error) => {
        if (mine !== generation) return
        isAsking = false
        read.value = { ...read.peek(), problem: error.message }
        if (reveal && after === undefined) maskAgain(path, error.message)
      },
    )
  }

  function refresh(): void {
    generation++
    take(undefined)
  }

  return {
    read,
    more() {
      const { next } = read.peek()
      if (!isAsking && next !== undefined) take(next)
    },
    refresh,
    leave: () => void generation++,
    changed() {
      if (read.peek().pages.length <= 1) refresh()
      else read.value = { ...read.peek(), isStale: true }
    },
  }
}

/** The next page is read when so many pixels are left below. */
const AHEAD_PX = 2_000

interface ListProps<Row> {
  readonly label: string
  readonly pages: Pages<Row>
  /** Default: the place of the row. */
  readonly keyOf?: (row: Row) => string | number
  readonly linkOf?: (row: Row) => string
  readonly render: (row: Row) => ComponentChildren
  readonly empty: string
}

export function List<Row>({ label, pages, empty, ...row }: ListProps<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const { pages: all, isLoaded, isStale, problem } = pages.read.value
  const isEmpty = all.every((rows) => rows.length === 0)
  const readAhead = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    if (scrollHeight - scrollTop - clientHeight < AHEAD_PX) pages.more()
  }
  const backToTop = () => {
    box.current?.scrollTo({ top: 0 })
    pages.refresh()
  }
  // A few rows leave nothing to scroll.
  useEffect(readAhead, [all])
  return (
    <div class="list-frame">
      {isStale && (
        <button type="button" class="stale" onClick={backToTop}>
          The list has changed. Show it from its top
        </button>
      )}
      <div class="scroll rows" ref={box} onScroll={readAhead}>
        {isEmpty && <p class="empty">{problem !== '' ? problem : isLoaded ? empty : 'Reading…'}</p>}
        {!isEmpty && (
          <ul aria-label={label}>
            {all.map((rows, index) => (
              <Rows key={index} rows={rows} {...row} />
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

type RowsProps<Row> = Pick<ListProps<Row>, 'keyOf' | 'linkOf' | 'render'> & { readonly rows: readonly Row[] }

function Rows<Row>({ rows, keyOf, linkOf, render }: RowsProps<Row>) {
  return useMemo(
    () => (
      <>
        {rows.map((row, index) => (
          <li key={keyOf?.(row) ?? index}>
            {linkOf ? (
              <a class="row" href={linkOf(row)}>
                {render(row)}
              </a>
            ) : (
              <div class="row">{render(row)}</div>
            )}
          </li>
        ))}
      </>
    ),
    [rows],
  )
}

interface ChipsProps {
  readonly view: View
  readonly filters: URLSearchParams
  readonly name: string
  readonly label: string
  /** An empty value removes the filter. */
  readonly options: readonly (readonly [value: string, label: string, count?: number])[]
}

export function Chips({ view, filters, name, label, options }: ChipsProps) {
  const chosen = filters.get(name) ?? ''
  return (
    <div class="chips" role="group" aria-label={label}>
      {options.map(([value, text, count = 0]) => (
        <a
          key={value}
          class={`chip ${value === chosen ? 'chosen' : ''}`}
          aria-current={value === chosen ? 'true' : undefined}
          href={linkTo(view, { filters: withFilter(filters, name, value) })}
        >
          {text}
          {count > 0 && <b>{counted(count)}</b>}
        </a>
      ))}
    </div>
  )
}

export function NumberFilter({ view, filters }: Pick<ChipsProps, 'view' | 'filters'>) {
  const numbers = visitor.value?.numbers ?? []
  if (numbers.length < 2) return null
  const choose = (number: string) => (location.hash = linkTo(view, { filters: withFilter(filters, 'number', number) }))
  return (
    <label class="number-filter">
      <span class="visually-hidden">Number</span>
      <select value={filters.get('number') ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">All numbers</option>
        {numbers.map((number) => (
          <option key={number}>{number}</option>
        ))}
      </select>
    </label>
  )
}

function withFilter(filters: URLSearchParams, name: string, value: string): Record<string, string> {
  const next = { ...Object.fromEntries(filters), [name]: value }
  if (value === '') delete next[name]
  return next
}
