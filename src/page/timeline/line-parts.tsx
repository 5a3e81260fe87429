import { formatDateTime, formatTimeWithSeconds } from '../../ui/text/time.ts'
import type { Outcome } from './rows/table.ts'

// The parts that lines of turns and of rows have in common.

export interface Place {
  /** From 0. */
  readonly index: number
  readonly rowHeight: number
  readonly isAt: boolean
  readonly isMarked: boolean
}

export function lineProps(id: string, { index, rowHeight, isAt, isMarked }: Place, more: readonly (string | false)[]) {
  return {
    id: `row-${id}`,
    class: ['row', isAt && 'at', isMarked && 'marked', ...more].filter(Boolean).join(' '),
    role: 'row',
    'aria-rowindex': index + 1,
    'data-row': id,
    style: { transform: `translateY(${index * rowHeight}px)` },
  } as const
}

export function WhenCell({ at }: { at: string }) {
  return (
    <span role="gridcell" class="when">
      <time dateTime={at} title={formatDateTime(at)}>
        {formatTimeWithSeconds(at)}
      </time>
    </span>
  )
}

/** The digits that tell customers apart, which a narrow list shows alone. */
const LAST_DIGITS = 4

/** The customer of a line, if another than above. */
export function Who({ customer }: { customer: string | undefined }) {
  if (customer === undefined) return null
  return (
    <span class="who" title={customer}>
      <span class="head">{customer.slice(0, -LAST_DIGITS)}</span>
      {customer.slice(-LAST_DIGITS)}
    </span>
  )
}

export function OutcomeCell({ outcome }: { outcome: Outcome | undefined }) {
  return (
    <span role="gridcell" class="outcome">
      {outcome && (
        <span class={`chip ${outcome.tone}`} title={outcome.tooltip}>
          {outcome.label}
        </span>
      )}
    </span>
  )
}
