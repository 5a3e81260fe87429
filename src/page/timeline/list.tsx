import { useLayoutEffect, useRef } from 'preact/hooks'
import { memo } from '../parts/memo.ts'
import { useStickToEnd } from '../parts/stick-to-end.ts'
import { formatDateTime, formatDay, formatTimeWithSeconds } from '../../ui/text/time.ts'
import { isLoaded } from '../state/follow.ts'
import { subscriptions } from '../state/service.ts'
import { openRowId, openSection, pane, query, selectedMessage } from '../state/view.ts'
import { tokenMissing } from '../wire/control.ts'
import { closeDetails } from './details.ts'
import { type DayLine, isLine, type Line, type RowLine, type TurnLine } from './entries.ts'
import type { Outcome, Row } from './rows/table.ts'
import {
  chipsOn,
  clearSearch,
  cursor,
  entries,
  foldCursor,
  moveCursor,
  moveToEnd,
  openCursor,
  scrollTargets,
  showOlder,
  shownEntries,
  unfoldCursor,
} from './state.ts'

/** The list of turns and rows. The browser lays out only the lines in sight; the latest lines are rendered. */
export function List() {
  const box = useRef<HTMLDivElement>(null)
  const shown = shownEntries.value
  const scroll = useStickToEnd(box, shown.length > 0)
  const [targets, opened] = [scrollTargets.value, openRowId.value]

  useLayoutEffect(scroll.toEnd, [query.value, chipsOn.value])
  useLayoutEffect(() => {
    // On a narrow screen the pane may not be visible yet. Then the targets wait.
    if (targets.length === 0 || !box.current?.clientHeight) return
    const lines = targets.map((id) => document.getElementById(`row-${id}`)).filter((line) => line !== null)
    if (lines.length === 0) return
    scrollTargets.value = []
    scroll.goTo(...lines)
  }, [targets, shown, pane.value])

  if (shown.length === 0) return <EmptyList />
  const onClick = (event: Event) => {
    const id = (event.target as Element).closest('[data-row]')?.getAttribute('data-row')
    if (id === null || id === undefined) return
    cursor.value = id
    openCursor()
  }
  const at = cursor.value
  const marked = selectedMessage.value
  const older = entries.value.length - shown.length
  return (
    <div class="list">
      {older > 0 && (
        <button type="button" class="quiet" onClick={showOlder}>
          Show older lines ({older})
        </button>
      )}
      <div
        id="timeline-rows"
        class="scroll rows"
        role="treegrid"
        aria-label="What happened"
        aria-activedescendant={shown.some(({ id }) => id === at) ? `row-${at}` : undefined}
        tabIndex={0}
        ref={box}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup">
          {shown.map((entry) => {
            if (!isLine(entry)) return <DayRow key={entry.id} at={entry.at} />
            const state = [
              entry.id === at && 'at',
              entry.id === opened && 'open',
              marked !== '' && isAbout(entry, marked) && 'marked',
            ]
            const props = { state: state.filter(Boolean).join(' '), customer: entry.customer }
            if (entry.kind === 'turn')
              return <TurnRow key={entry.id} {...props} turn={entry.turn} isOpen={entry.isOpen} />
            return <SingleRow key={entry.id} {...props} row={entry.row} isInTurn={entry.isInTurn} text={entry.text} />
          })}
        </div>
      </div>
      {!scroll.follows.value && (
        <button type="button" class="primary newest" onClick={scroll.toEnd}>
          ↓ Newest
        </button>
      )}
    </div>
  )
}

/** A folded turn is about the messages of its rows; of an unfolded one they are marked themselves. */
function isAbout(line: Line, message: string): boolean {
  if (line.kind === 'row') return line.row.message === message
  return !line.isOpen && line.turn.rows.some((row) => row.message === message)
}

const JUMP_LINES = 12

/** The keys of the list while it has the focus; letters are shortcuts of the whole page. */
const KEY_ACTIONS: Readonly<Record<string, () => void>> = {
  ArrowDown: () => moveCursor(1),
  ArrowUp: () => moveCursor(-1),
  PageDown: () => moveCursor(JUMP_LINES),
  PageUp: () => moveCursor(-JUMP_LINES),
  ArrowRight: unfoldCursor,
  ArrowLeft: foldCursor,
  Home: () => moveToEnd('first'),
  End: () => moveToEnd('last'),
  Enter: openCursor,
  ' ': openCursor,
  Escape: closeDetails,
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEY_ACTIONS, event.key)) return
  event.preventDefault()
  KEY_ACTIONS[event.key]?.()
}

const DayRow = memo(function DayRow({ at }: Pick<DayLine, 'at'>) {
  return (
    <div class="row day" role="row">
      <span role="gridcell" aria-colspan={5}>
        {formatDay(at)}
      </span>
    </div>
  )
})

interface LineState {
  /** The classes of a line that is at the cursor, open or marked. */
  readonly state: string
  readonly customer: string | undefined
}

/** A whole turn on a single line: what was said, what was answered, and how it ended. */
const TurnRow = memo(function TurnRow({
  turn,
  isOpen,
  state,
  customer,
}: LineState & Pick<TurnLine, 'turn' | 'isOpen'>) {
  const { id, title, isWritten, answer, moreAnswers, note, outcome } = turn
  return (
    <div
      id={`row-${id}`}
      data-row={id}
      class={`row turn ${state} ${isOpen ? 'unfolded' : ''}`}
      role="row"
      aria-level={1}
      aria-expanded={isOpen}
    >
      <WhenCell at={turn.rows[0]?.at ?? ''} />
      <span role="gridcell" class="mark">
        <svg class="fold-mark" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6 3.5 10.5 8 6 12.5" />
        </svg>
      </span>
      <span role="gridcell" class="what" title={tooltip(title, answer, note, turn.customer)}>
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

interface SingleRowProps extends LineState {
  readonly row: Row
  readonly isInTurn: boolean
  readonly text: RowLine['text']
}

const SingleRow = memo(function SingleRow({ row, isInTurn, text, state, customer }: SingleRowProps) {
  const { id, at, title, detail, note, outcome, tookMs, direction } = row
  return (
    <div
      id={`row-${id}`}
      data-row={id}
      class={`row ${state} ${isInTurn ? 'in-turn' : ''}`}
      role="row"
      aria-level={isInTurn ? 2 : 1}
    >
      <WhenCell at={at} />
      <span role="gridcell" class={`mark ${direction ?? ''}`}>
        {direction !== undefined && (
          <>
            <span aria-hidden="true">{direction === 'in' ? '←' : '→'}</span>
            <span class="visually-hidden">{direction === 'in' ? 'in, from the app' : 'out, to the app'}</span>
          </>
        )}
      </span>
      <span role="gridcell" class="what" title={tooltip(title, detail, row.text, note, row.customer)}>
        <Who customer={customer} />
        <b>{title}</b>
        {detail !== undefined && <span class="muted"> {detail}</span>}
        {text !== undefined && (
          <span class="said muted">
            {' '}
            “<bdi>{text}</bdi>”
          </span>
        )}
        {note !== undefined && <span class="note"> {note}</span>}
      </span>
      <OutcomeCell outcome={outcome} />
      <span role="gridcell" class="took muted">
        {tookMs !== undefined && (tookMs < 10_000 ? `${tookMs} ms` : `${Math.round(tookMs / 1_000)} s`)}
      </span>
    </div>
  )
})

function tooltip(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' · ')
}

function WhenCell({ at }: { at: string }) {
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
function Who({ customer }: { customer: string | undefined }) {
  if (customer === undefined) return null
  return (
    <span class="who" title={customer}>
      <span class="head">{customer.slice(0, -LAST_DIGITS)}</span>
      {customer.slice(-LAST_DIGITS)}
    </span>
  )
}

function OutcomeCell({ outcome }: { outcome: Outcome | undefined }) {
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

/** Explains why the list is empty, and offers the next step. */
function EmptyList() {
  if (!isLoaded.value)
    return <p class="empty">{tokenMissing.value ? 'Nothing is shown without the token.' : 'Reading what happened…'}</p>
  if (query.value !== '' || chipsOn.value.length > 0)
    return (
      <div class="empty">
        <p>No rows match.</p>
        <button type="button" onClick={clearSearch}>
          Clear the search
        </button>
      </div>
    )
  if (subscriptions.value.length === 0)
    return (
      <div class="empty">
        <p>
          Nothing happened yet, and no endpoint is registered. Start your app with <code>npx switchhook dev</code>, or
          register its address.
        </p>
        <button type="button" onClick={() => openSection('endpoint')}>
          Register an endpoint
        </button>
      </div>
    )
  return <p class="empty">Nothing happened yet. Write as the customer: the signed delivery to your app appears here.</p>
}
