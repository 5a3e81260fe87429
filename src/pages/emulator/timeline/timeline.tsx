import { useComputed } from '@preact/signals'
import { openRowId, pane, query, selectedMessage } from '../state/view.ts'
import { Inspector } from './inspector.tsx'
import { matchingRows, rows, openRow, scrollTarget, showOlder, shownRows } from './state.ts'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { memo, useStickToEnd } from '../parts/stick-to-end.ts'
import { formatDateTime, formatDay, formatTimeWithSeconds } from '../../ui/text/time.ts'
import { isLoaded } from '../state/follow.ts'
import { tokenMissing } from '../wire/control.ts'
import type { Row } from './timeline-rows.ts'

export function Timeline() {
  const isOpen = useComputed(() => openRowId.value !== '').value
  return (
    <section class="pane timeline" aria-label="Timeline">
      <header class="pane-head search-head line">
        <h2>Timeline</h2>
        <SearchField />
        <Count />
      </header>
      <div class={`timeline-body ${isOpen ? 'split' : ''}`}>
        <List />
        {isOpen && <Inspector />}
      </div>
    </section>
  )
}

function SearchField() {
  return (
    <input
      type="search"
      aria-label="Search the timeline"
      placeholder="Search: words, digits, ids, codes, failed"
      title="Each word must be in the row (/)"
      autocomplete="off"
      spellcheck={false}
      value={query}
      onInput={(event) => (query.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        if (query.peek() === '') event.currentTarget.blur()
        query.value = ''
      }}
    />
  )
}

function Count() {
  const all = rows.value.length
  const found = matchingRows.value.length
  return <span class="muted small count">{found === all ? `${all}` : `${found} of ${all}`}</span>
}

/** The list of rows. Only the latest rows are rendered, and the browser lays out only visible ones. */
function List() {
  const box = useRef<HTMLDivElement>(null)
  const shown = shownRows.value
  const scroll = useStickToEnd(box, shown.length > 0)
  const target = scrollTarget.value

  useLayoutEffect(scroll.toEnd, [query.value])
  useLayoutEffect(() => {
    // On a narrow screen the pane may not be visible yet. Then the target waits.
    const row = target !== '' && box.current?.clientHeight ? document.getElementById(`row-${target}`) : null
    if (row === null) return
    scrollTarget.value = ''
    scroll.goTo(row)
  }, [target, shown, pane.value])

  if (shown.length === 0) return <EmptyList />
  const [marked, opened] = [selectedMessage.value, openRowId.value]
  const older = matchingRows.value.length - shown.length
  return (
    <div class="list">
      {older > 0 && (
        <button type="button" class="quiet" onClick={showOlder}>
          Show older lines ({older})
        </button>
      )}
      <div id="timeline-rows" class="scroll rows" ref={box} onClick={openClicked} onKeyDown={moveFocus}>
        <ol aria-label="What happened">
          {shown.map((row, index) => {
            const before = shown[index - 1]
            const isNewDay = before === undefined || dayOf(row) !== dayOf(before)
            const state = [row.id === opened && 'open', marked !== '' && row.message === marked && 'marked']
            return [
              isNewDay && (
                <li key={`day ${row.id}`} class="day muted small">
                  {formatDay(row.at)}
                </li>
              ),
              <RowLine
                key={row.id}
                row={row}
                state={state.filter(Boolean).join(' ')}
                customer={isNewDay || row.customer !== before?.customer ? row.customer : undefined}
              />,
            ]
          })}
        </ol>
      </div>
      {!scroll.follows.value && (
        <button type="button" class="primary newest" onClick={scroll.toEnd}>
          ↓ Newest
        </button>
      )}
    </div>
  )
}

function dayOf({ at }: Row): string {
  return new Date(at).toDateString()
}

function openClicked({ target }: Event): void {
  const id = (target as Element).closest('.row')?.id
  const row = rows.peek().findLast((one) => `row-${one.id}` === id)
  if (row) openRow(row)
}

function moveFocus(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by === undefined) return
  event.preventDefault()
  const all = [...document.querySelectorAll<HTMLElement>('#timeline-rows .row')]
  all[all.indexOf(document.activeElement as HTMLElement) + by]?.focus()
}

interface RowLineProps {
  readonly row: Row
  readonly state: string
  /** The customer, if it is not the customer of the row above. */
  readonly customer: string | undefined
}

const RowLine = memo(function RowLine({ row, state, customer }: RowLineProps) {
  const { id, at, title, detail, text, note, outcome, tookMs, direction } = row
  return (
    <li>
      <button type="button" id={`row-${id}`} class={`line-button row ${state}`}>
        <time class="muted small" dateTime={at} title={formatDateTime(at)}>
          {formatTimeWithSeconds(at)}
        </time>
        <span class={`mark ${direction ?? ''}`}>
          {direction !== undefined && (
            <>
              <span aria-hidden="true">{direction === 'in' ? '←' : '→'}</span>
              <span class="visually-hidden">{direction === 'in' ? 'in, from the app' : 'out, to the app'}</span>
            </>
          )}
        </span>
        <span class="what" title={[title, detail, text, note, row.customer].filter(Boolean).join(' · ')}>
          <Who customer={customer} />
          <b>{title}</b>
          {detail !== undefined && <span class="muted"> {detail}</span>}
          {text !== undefined && (
            <span class="muted">
              {' '}
              “<bdi>{text}</bdi>”
            </span>
          )}
          {note !== undefined && <span class="note"> {note}</span>}
        </span>
        <span class="outcome">
          {outcome && (
            <span class={`chip ${outcome.tone}`} title={outcome.tooltip}>
              {outcome.label}
            </span>
          )}
        </span>
        <span class="took muted small">
          {tookMs !== undefined && (tookMs < 10_000 ? `${tookMs} ms` : `${Math.round(tookMs / 1_000)} s`)}
        </span>
      </button>
    </li>
  )
})

/** The digits that tell customers apart. A narrow list shows only these. */
const LAST_DIGITS = 4

function Who({ customer }: { customer: string | undefined }) {
  if (customer === undefined) return null
  return (
    <span class="who muted small" title={customer}>
      <span class="head">{customer.slice(0, -LAST_DIGITS)}</span>
      {customer.slice(-LAST_DIGITS)}
    </span>
  )
}

function EmptyList() {
  if (!isLoaded.value)
    return <p class="empty">{tokenMissing.value ? 'Nothing is shown without the token.' : 'Loading…'}</p>
  if (query.value !== '')
    return (
      <div class="empty">
        <p>No rows match.</p>
        <button type="button" onClick={() => (query.value = '')}>
          Clear the search
        </button>
      </div>
    )
  return <p class="empty">Nothing happened yet. Write as the customer: the signed delivery to your app appears here.</p>
}
