import { loaded } from '../state/follow.ts'
import { openPart, openRow, query, query as searched, selectedMessage } from '../state/view.ts'
import { subscriptions } from '../state/world.ts'
import { isRow } from './entries.ts'
import { cursor, entries, moveCursor, moveToEnd, open, openCursor } from './list-state.ts'
import { DayLine, RowLine } from './row-line.tsx'
import { usePlace } from './scroll.ts'
import { closeAndReturn } from './shortcuts.ts'

/** So high is each row, in pixels: the place of a row follows from its number alone. */
const ROW_PX = 30

/** The rows; of many only those in sight are drawn. */
export function List() {
  const { box, place } = usePlace(ROW_PX)
  const all = entries.value
  if (all.length === 0) return <Nothing query={query.value} />
  const [at, opened, marked] = [cursor.value, openRow.value, selectedMessage.value]
  const from = place.from.value
  const drawn = all.slice(from, place.to.value)
  const clicked = (event: Event) => {
    const id = (event.target as Element).closest('[data-row]')?.getAttribute('data-row')
    const entry = entries.peek().find((one) => one.id === id)
    if (entry && isRow(entry)) open(entry)
  }
  return (
    <div class="list">
      <div
        id="timeline-rows"
        class="scroll rows"
        role="grid"
        aria-label="What happened"
        aria-rowcount={all.length}
        aria-colcount={7}
        aria-activedescendant={drawn.some(({ id }) => id === at) ? `row-${at}` : undefined}
        tabIndex={0}
        ref={box}
        onScroll={place.look}
        onClick={clicked}
        onKeyDown={keyed}
      >
        <div class="sheet-of-rows" role="rowgroup" style={{ height: `${all.length * ROW_PX}px` }}>
          {drawn.map((entry, index) =>
            isRow(entry) ? (
              <RowLine
                key={entry.id}
                row={entry}
                index={from + index}
                rowHeight={ROW_PX}
                isAt={entry.id === at}
                isOpen={entry.id === opened}
                isMarked={marked !== '' && entry.message === marked}
              />
            ) : (
              <DayLine key={entry.id} day={entry} index={from + index} rowHeight={ROW_PX} />
            ),
          )}
        </div>
      </div>
      {place.unseen.value > 0 && (
        <button type="button" class="primary unseen" onClick={place.toEnd}>
          ↓ {place.unseen.value} new
        </button>
      )}
    </div>
  )
}

const PAGE = 12

/** What the keys do while the list has the focus; letters are shortcuts of the page. */
const DOES: Readonly<Record<string, () => void>> = {
  ArrowDown: () => moveCursor(1),
  ArrowUp: () => moveCursor(-1),
  PageDown: () => moveCursor(PAGE),
  PageUp: () => moveCursor(-PAGE),
  Home: () => moveToEnd('first'),
  End: () => moveToEnd('last'),
  Enter: openCursor,
  ' ': openCursor,
  Escape: closeAndReturn,
}

export function keyed(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(DOES, event.key)) return
  event.preventDefault()
  DOES[event.key]?.()
}

/** Why the list is empty, and the next step. */
export function Nothing({ query }: { query: string }) {
  if (!loaded.value) return <p class="empty">Reading what happened…</p>
  if (query !== '')
    return (
      <div class="empty">
        <p>
          No rows match <q>{query}</q>
        </p>
        <button type="button" onClick={() => (searched.value = '')}>
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
        <button type="button" onClick={() => openPart('endpoint')}>
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
