import { useComputed } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { formatDateTime, formatDay, formatTimeWithSeconds } from '../../ui/text/time.ts'
import { isLoaded } from '../state/follow.ts'
import { openRowId, query } from '../state/view.ts'
import { tokenMissing } from '../wire/control.ts'
import { Inspector } from './inspector.tsx'
import { matchingRows, openedRow, showOlder, shownRows } from './state.ts'
import type { Row } from './timeline-rows.ts'

export function Timeline() {
  const isOpen = useComputed(() => openRowId.value !== '').value
  return (
    <section class="pane timeline" aria-label="Timeline">
      <header class="bar line">
        <h2>Timeline</h2>
        <SearchField />
        <span class="muted small">{matchingRows.value.length}</span>
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
    />
  )
}

function List() {
  const shown = shownRows.value
  const opened = openedRow.value?.id
  useLayoutEffect(() => {
    if (opened !== undefined) document.getElementById(`row-${opened}`)?.scrollIntoView({ block: 'nearest' })
  }, [opened])

  if (shown.length === 0) return <EmptyList />
  const older = matchingRows.value.length - shown.length
  return (
    // Rows also open on mouse-down: a row that moves before the button is released gets no click.
    <div class="scroll from-end rows" onMouseDown={openPressed} onClick={openPressed}>
      <div>
        {older > 0 && (
          <button type="button" class="quiet" onClick={showOlder}>
            Show older lines ({older})
          </button>
        )}
        <ol aria-label="What happened">
          {shown.map((row, index) => {
            const before = shown[index - 1]
            const isNewDay = before === undefined || dayOf(row) !== dayOf(before)
            return [
              isNewDay && (
                <li key={`day ${row.id}`} class="day muted small">
                  {formatDay(row.at)}
                </li>
              ),
              <RowLine
                key={row.id}
                row={row}
                isOpen={row.id === opened}
                customer={isNewDay || row.customer !== before?.customer ? row.customer : undefined}
              />,
            ]
          })}
        </ol>
      </div>
    </div>
  )
}

function dayOf({ at }: Row): string {
  return new Date(at).toDateString()
}

function openPressed({ target }: Event): void {
  const button = (target as Element).closest('.row')
  if (button) openRowId.value = button.id.slice('row-'.length)
}

interface RowLineProps {
  readonly row: Row
  readonly isOpen: boolean
  /** The customer, if it is not the customer of the row above. */
  readonly customer: string | undefined
}

function RowLine({ row, isOpen, customer }: RowLineProps) {
  const { id, at, title, detail, text, note, outcome, tookMs, direction } = row
  return (
    <li>
      <button type="button" id={`row-${id}`} class={`line-button row ${isOpen ? 'open' : ''}`}>
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
          {customer !== undefined && <span class="who muted small">{customer}</span>}
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
        {outcome ? (
          <span class={`chip ${outcome.tone}`} title={outcome.tooltip}>
            {outcome.label}
          </span>
        ) : (
          <span />
        )}
        <span class="took muted small">
          {tookMs !== undefined && (tookMs < 10_000 ? `${tookMs} ms` : `${Math.round(tookMs / 1_000)} s`)}
        </span>
      </button>
    </li>
  )
}

function EmptyList() {
  if (!isLoaded.value)
    return <p class="empty">{tokenMissing.value ? 'Nothing is shown without the token.' : 'Loading…'}</p>
  if (query.value !== '') return <p class="empty">No rows match.</p>
  return <p class="empty">Nothing happened yet. Write as the customer: the signed delivery to your app appears here.</p>
}
