import { memo } from '../../ui/components/memo.ts'
import { formatDay, formatTimeWithSeconds } from '../../ui/text/time.ts'
import type { DayLine } from './entries.ts'
import type { Row } from './rows/table.ts'

interface RowLineProps {
  readonly row: Row
  /** The place in the list, from 0. */
  readonly index: number
  readonly rowHeight: number
  /** True for the row that the keyboard is at. */
  readonly isAt: boolean
  readonly isOpen: boolean
  readonly isMarked: boolean
}

/** One row of the list, on a single line. */
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
        <time dateTime={row.at}>{formatTimeWithSeconds(row.at)}</time>
      </span>
      <Direction row={row} />
      <span role="gridcell" class={`kind ${row.kind}`}>
        {row.kind}
      </span>
      <span role="gridcell" class="what" title={tooltip(row)}>
        <b>{row.title}</b>
        {row.detail !== undefined && <span class="muted"> {row.detail}</span>}
        {row.note !== undefined && <span class="note"> {row.note}</span>}
      </span>
      <span role="gridcell" class="customer muted">
        {row.customer}
      </span>
      <span role="gridcell" class="outcome">
        {outcome && (
          <span class={`chip ${outcome.tone}`} title={outcome.tooltip}>
            {outcome.label}
          </span>
        )}
      </span>
      <span role="gridcell" class="took muted">
        {row.tookMs !== undefined && formatTook(row.tookMs)}
      </span>
    </div>
  )
})

function tooltip({ title, detail = '', note = '' }: Row): string {
  return [title, detail, note].filter((part) => part !== '').join(' · ')
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

function formatTook(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}

/** The line between two days. */
export const DayRow = memo(function DayRow(o: { day: DayLine; index: number; rowHeight: number }) {
  return (
    <div
      class="row day"
      role="row"
      aria-rowindex={o.index + 1}
      style={{ transform: `translateY(${o.index * o.rowHeight}px)` }}
    >
      <span role="gridcell" aria-colspan={7}>
        {formatDay(o.day.at)}
      </span>
    </div>
  )
})
