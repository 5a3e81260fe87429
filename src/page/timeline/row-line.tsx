import { memo } from '../../ui/components/memo.ts'
import { formatDay } from '../../ui/text/time.ts'
import type { DayLine } from './entries.ts'
import { lineProps, OutcomeCell, type Place, WhenCell, Who } from './line-parts.tsx'
import type { Row } from './rows/table.ts'

interface RowLineProps extends Place {
  readonly row: Row
  readonly isInTurn: boolean
  readonly customer: string | undefined
  readonly text: string | undefined
  readonly isOpen: boolean
}

/** One row of the list, on a single line. */
export const RowLine = memo(function RowLine({ row, isInTurn, customer, text, isOpen, ...place }: RowLineProps) {
  return (
    <div
      {...lineProps(row.id, place, [isOpen && 'open', isInTurn && 'in-turn'])}
      aria-level={isInTurn ? 2 : 1}
      aria-selected={isOpen}
    >
      <WhenCell at={row.at} />
      <Direction row={row} />
      <span role="gridcell" class="what" title={tooltip(row)}>
        <Who customer={customer} />
        <b>{row.title}</b>
        {row.detail !== undefined && <span class="muted"> {row.detail}</span>}
        {text !== undefined && (
          <span class="said muted">
            {' '}
            “<bdi>{text}</bdi>”
          </span>
        )}
        {row.note !== undefined && <span class="note"> {row.note}</span>}
      </span>
      <OutcomeCell outcome={row.outcome} />
      <span role="gridcell" class="took muted">
        {row.tookMs !== undefined && formatTook(row.tookMs)}
      </span>
    </div>
  )
})

function tooltip({ title, detail, text, note, customer }: Row): string {
  return [title, detail, text, note, customer].filter((part) => part !== undefined).join(' · ')
}

function Direction({ row: { direction } }: { row: Row }) {
  return (
    <span role="gridcell" class={`mark ${direction ?? ''}`}>
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

export const DayRow = memo(function DayRow(o: { day: DayLine; index: number; rowHeight: number }) {
  return (
    <div
      class="row day"
      role="row"
      aria-rowindex={o.index + 1}
      style={{ transform: `translateY(${o.index * o.rowHeight}px)` }}
    >
      <span role="gridcell" aria-colspan={5}>
        {formatDay(o.day.at)}
      </span>
    </div>
  )
})
