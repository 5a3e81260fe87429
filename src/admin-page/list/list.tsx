import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Pages } from './pages.ts'

/** On a narrow screen a row has two lines. */
const narrow = matchMedia('(max-width: 699px)')
const rowPx = signal(heightOfRow())
narrow.addEventListener('change', () => (rowPx.value = heightOfRow()))

function heightOfRow(): number {
  return narrow.matches ? 58 : 36
}

/** Rows beyond the edges of what is seen, so that a fast scroll shows no gap. */
const BEYOND = 8
/** The next page is asked for when as many rows are left below. */
const ASK_AHEAD = 40

interface ListProps<Row> {
  readonly label: string
  readonly pages: Pages<Row>
  readonly keyOf: (row: Row) => string | number
  /** The place that a row leads to; rows without one only tell. */
  readonly linkOf: (row: Row) => string | undefined
  readonly render: (row: Row) => ComponentChildren
  readonly empty: ComponentChildren
}

/** A list of which only the rows in sight are rendered: there may be hundreds of thousands. */
export function List<Row>({ label, pages, keyOf, linkOf, render, empty }: ListProps<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(0)
  const { rows } = pages.read.value
  const px = rowPx.value
  const from = Math.max(0, Math.floor(top.value / px) - BEYOND)
  const to = Math.min(rows.length, Math.ceil((top.value + height.value) / px) + BEYOND)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => (height.value = element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (to > rows.length - ASK_AHEAD) pages.more()
  }, [to, rows.length, pages])

  return (
    <div class="list-frame">
      {pages.isStale.value && (
        <button type="button" class="stale" onClick={() => backToTop(box.current, pages)}>
          The list has changed. Show it from its top
        </button>
      )}
      <div class="scroll rows" ref={box} onScroll={({ currentTarget }) => (top.value = currentTarget.scrollTop)}>
        {rows.length === 0 ? (
          <p class="empty">
            {pages.problem.value !== '' ? pages.problem.value : pages.isLoaded.value ? empty : 'Reading…'}
          </p>
        ) : (
          <ul aria-label={label} style={{ height: `${rows.length * px}px` }}>
            {rows.slice(from, to).map((row, index) => {
              const link = linkOf(row)
              return (
                <li key={keyOf(row)} style={{ top: `${(from + index) * px}px`, height: `${px}px` }}>
                  {link === undefined ? (
                    <div class="row">{render(row)}</div>
                  ) : (
                    <a class="row" href={link} data-index={from + index}>
                      {render(row)}
                    </a>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </div>
    </div>
  )
}

function backToTop<Row>(box: HTMLElement | null, pages: Pages<Row>): void {
  box?.scrollTo({ top: 0 })
  pages.refresh()
}

/** Of two lists in a view the keys mean the one that has the focus, and the first while none has it. */
function meantList(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('.rows') ?? document.querySelector<HTMLElement>('.rows')
}

/** Moves the focus from row to row, over rows that are not rendered yet too. */
export function moveFocus(step: number): void {
  const [box, px] = [meantList(), rowPx.peek()]
  if (!box) return
  const at = document.activeElement?.getAttribute('data-index')
  const first = Math.ceil(box.scrollTop / px)
  const index = at === null || at === undefined ? first : Math.max(0, Number(at) + step)
  if (index * px < box.scrollTop) box.scrollTop = index * px
  if ((index + 1) * px > box.scrollTop + box.clientHeight) box.scrollTop = (index + 1) * px - box.clientHeight
  if (focusRow(box, index)) return
  // A row that was out of sight is rendered after the scroll. A row in sight has the focus by now, which may move on meanwhile.
  requestAnimationFrame(() => requestAnimationFrame(() => focusRow(box, index)))
}

function focusRow(box: HTMLElement, index: number): boolean {
  const row = box.querySelector<HTMLElement>(`[data-index="${index}"]`)
  row?.focus({ preventScroll: true })
  return row !== null
}
