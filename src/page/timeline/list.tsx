import { isLoaded } from '../state/follow.ts'
import { subscriptions } from '../state/service.ts'
import { openRowId, openSection, query, selectedMessage } from '../state/view.ts'
import { tokenMissing } from '../wire/control.ts'
import { isLine, type Line } from './entries.ts'
import { cursor, entries, foldCursor, moveCursor, moveToEnd, openCursor, unfoldCursor } from './list-state.ts'
import { DayRow, RowLine } from './row-line.tsx'
import { useListScroll } from './scroll.ts'
import { closeAndReturn } from './shortcuts.ts'
import { TurnLine } from './turn-line.tsx'

const ROW_PX = 30

/** The list of turns and rows. It renders only the lines in sight: there may be tens of thousands. */
export function List() {
  const { box, scroll } = useListScroll(ROW_PX)
  const all = entries.value
  if (all.length === 0) return <EmptyList />
  const [at, opened, marked] = [cursor.value, openRowId.value, selectedMessage.value]
  const from = scroll.from.value
  const rendered = all.slice(from, scroll.to.value)
  const onClick = (event: Event) => {
    const id = (event.target as Element).closest('[data-row]')?.getAttribute('data-row')
    if (id === null || id === undefined) return
    cursor.value = id
    openCursor()
  }
  return (
    <div class="list">
      <div
        id="timeline-rows"
        class="scroll rows"
        role="treegrid"
        aria-label="What happened"
        aria-rowcount={all.length}
        aria-colcount={5}
        aria-activedescendant={rendered.some(({ id }) => id === at) ? `row-${at}` : undefined}
        tabIndex={0}
        ref={box}
        onScroll={scroll.onScroll}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        <div class="rows-content" role="rowgroup" style={{ height: `${all.length * ROW_PX}px` }}>
          {rendered.map((entry, index) => {
            const place = { index: from + index, rowHeight: ROW_PX }
            if (!isLine(entry)) return <DayRow key={entry.id} day={entry} {...place} />
            const state = { ...place, isAt: entry.id === at, isMarked: marked !== '' && isAbout(entry, marked) }
            if (entry.kind === 'turn')
              return (
                <TurnLine key={entry.id} turn={entry.turn} isOpen={entry.isOpen} customer={entry.customer} {...state} />
              )
            return (
              <RowLine
                key={entry.id}
                row={entry.row}
                isInTurn={entry.isInTurn}
                customer={entry.customer}
                text={entry.text}
                isOpen={entry.id === opened}
                {...state}
              />
            )
          })}
        </div>
      </div>
      {scroll.unseen.value > 0 && (
        <button type="button" class="primary unseen" onClick={scroll.toEnd}>
          ↓ {scroll.unseen.value} new
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

const PAGE_ROWS = 12

/** The keys of the list while it has the focus; letters are shortcuts of the whole page. */
const KEY_ACTIONS: Readonly<Record<string, () => void>> = {
  ArrowDown: () => moveCursor(1),
  ArrowUp: () => moveCursor(-1),
  PageDown: () => moveCursor(PAGE_ROWS),
  PageUp: () => moveCursor(-PAGE_ROWS),
  ArrowRight: unfoldCursor,
  ArrowLeft: foldCursor,
  Home: () => moveToEnd('first'),
  End: () => moveToEnd('last'),
  Enter: openCursor,
  ' ': openCursor,
  Escape: closeAndReturn,
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEY_ACTIONS, event.key)) return
  event.preventDefault()
  KEY_ACTIONS[event.key]?.()
}

/** Explains why the list is empty, and offers the next step. */
function EmptyList() {
  if (!isLoaded.value)
    return <p class="empty">{tokenMissing.value ? 'Nothing is shown without the token.' : 'Reading what happened…'}</p>
  if (query.value !== '')
    return (
      <div class="empty">
        <p>
          No rows match <q>{query}</q>
        </p>
        <button type="button" onClick={() => (query.value = '')}>
          Clear the search
        </button>
      </div>
    )
  if (subscriptions.value.length === 0)
    return (
      <div class="empty">
        <p>
          Nothing happened yet, and no endpoint is registered: events would go nowhere. Start your app with{' '}
          <code>npx switchhook dev</code>, or register its address.
        </p>
        <button type="button" onClick={() => openSection('endpoint')}>
          Register an endpoint
        </button>
      </div>
    )
  return (
    <p class="empty">
      Nothing happened yet. Write as the customer: the signed delivery to your app stands here first, then its call.
    </p>
  )
}
