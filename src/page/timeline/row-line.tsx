import { memo } from '../components/memo.ts'
import { dayOf, exactTime } from '../text/time.ts'
import type { Day } from './entries.ts'
import type { Row } from './rows/table.ts'

interface RowLineProps {
  readonly row: Row
  /** Its place in the list, from 0. */
  readonly index: number
  readonly rowHeight: number
  readonly isAt: boolean
  readonly isOpen: boolean
  readonly isMarked: boolean
}

/** One row of the list, a line high. */
export const RowLine = memo(function RowLine({ row, index, rowHeight, isAt, isOpen, isMarked }: RowLineProps) {
  const { outcome } = row
  const classes = ['row', isAt ? 'at' : '', isOpen ? 'open' : '', isMarked ? 'marked' : '']
  return (
    <div
      id={`row-${row.id}`}
      class={classes.join(' ')}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isOpen}
      data-row={row.id}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
    >
      <span role="gridcell" class="when">
        <time dateTime={row.at}>{exactTime(row.at)}</time>
      </span>
      <Direction row={row} />
      <span role="gridcell" class={`kind ${row.kind}`}>
        {row.kind}
      </span>
      <span role="gridcell" class="what" title={whatTitle(row)}>
        <b>{row.what}</b>
        {row.detail !== undefined && <span class="muted"> {row.detail}</span>}
        {row.note !== undefined && <span class="note"> {row.note}</span>}
      </span>
      <span role="gridcell" class="customer muted">
        {row.customer}
      </span>
      <span role="gridcell" class="outcome">
        {outcome && (
          <span class={`chip ${outcome.tone}`} title={outcome.title}>
            {outcome.words}
          </span>
        )}
      </span>
      <span role="gridcell" class="took muted">
        {row.tookMs !== undefined && tookText(row.tookMs)}
      </span>
    </div>
  )
})

function whatTitle({ what, detail = '', note = '' }: Row): string {
  return [what, detail, note].filter((part) => part !== '').join(' · ')
}

function Direction({ row: { direction } }: { row: Row }) {
  return (
    <span role="gridcell" class={`direction ${direction ?? ''}`}>
      {direction !== undefined && (
        <>
          <span aria-hidden="true">{direction === 'in' ? '←' : '→'}</span>
          <span class="visually-hidden">{direction === 'in' ? 'in, from the app' : 'out, to the app'}</span>
        </>
      )}
    </span>
  )
}

function tookText(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}

/** The line between two days. */
export const DayLine = memo(function DayLine(o: { day: Day; index: number; rowHeight: number }) {
  return (
    <div
      class="row day"
      role="row"
      aria-rowindex={o.index + 1}
      style={{ transform: `translateY(${o.index * o.rowHeight}px)` }}
    >
      <span role="gridcell" aria-colspan={7}>
        {dayOf(o.day.at)}
      </span>
    </div>
  )
})
