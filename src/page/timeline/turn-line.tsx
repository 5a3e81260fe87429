import { memo } from '../../ui/components/memo.ts'
import { lineProps, OutcomeCell, type Place, WhenCell, Who } from './line-parts.tsx'
import type { Turn } from './turn.ts'

interface TurnLineProps extends Place {
  readonly turn: Turn
  readonly isOpen: boolean
  readonly customer: string | undefined
}

/** A whole turn on a single line: what was said, what was answered, and how it ended. */
export const TurnLine = memo(function TurnLine({ turn, isOpen, customer, ...place }: TurnLineProps) {
  const { title, isWritten, answer, moreAnswers, note, outcome } = turn
  return (
    <div {...lineProps(turn.id, place, ['turn', isOpen && 'unfolded'])} aria-level={1} aria-expanded={isOpen}>
      <WhenCell at={turn.rows[0]?.at ?? ''} />
      <span role="gridcell" class="mark">
        <svg class="fold-mark" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6 3.5 10.5 8 6 12.5" />
        </svg>
      </span>
      <span role="gridcell" class="what" title={tooltip(turn)}>
        <Who customer={customer} />
        {!isWritten && turn.customer !== undefined && <span class="muted">sent </span>}
        <b class="words">
          <bdi>{title}</bdi>
        </b>
        {answer !== undefined && (
          <span class="answer muted">
            <span aria-hidden="true">↩ </span>
            <span class="visually-hidden">answered: </span>
            <bdi>{answer}</bdi>
          </span>
        )}
        {moreAnswers > 0 && (
          <span class="more-answers muted" title={`${moreAnswers} more`}>
            +{moreAnswers}
          </span>
        )}
        {note !== undefined && <span class="note">{note}</span>}
      </span>
      <OutcomeCell outcome={outcome} />
      <span role="gridcell" class="took muted">
        {turn.rows.length}
        <span class="visually-hidden"> rows</span>
      </span>
    </div>
  )
})

function tooltip({ title, answer, note, customer }: Turn): string {
  return [title, answer, note, customer].filter((part) => part !== undefined).join(' · ')
}
