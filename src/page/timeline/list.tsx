import { isLoaded } from '../state/follow.ts'
import { subscriptions } from '../state/service.ts'
import { openRowId, openSection, query, selectedMessage } from '../state/view.ts'
import { tokenMissing } from '../wire/control.ts'
import { isRow } from './entries.ts'
import { cursor, entries, moveCursor, moveToEnd, openCursor, openRow } from './list-state.ts'
import { DayRow, RowLine } from './row-line.tsx'
import { useListScroll } from './scroll.ts'
import { closeAndReturn } from './shortcuts.ts'

/** The height of every row in pixels. */
const ROW_PX = 30

/** The list of rows. It renders only the rows in sight: there may be tens of thousands. */
export function List() {
  const { box, scroll } = useListScroll(ROW_PX)
  const all = entries.value
  if (all.length === 0) return <EmptyList />
  const [at, opened, marked] = [cursor.value, openRowId.value, selectedMessage.value]
  const from = scroll.from.value
  const rendered = all.slice(from, scroll.to.value)
  const onClick = (event: Event) => {
    const id = (event.target as Element).closest('[data-row]')?.getAttribute('data-row')
    const entry = entries.peek().find((one) => one.id === id)
    if (entry && isRow(entry)) openRow(entry)
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
        aria-activedescendant={rendered.some(({ id }) => id === at) ? `row-${at}` : undefined}
        tabIndex={0}
        ref={box}
        onScroll={scroll.onScroll}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        <div class="rows-content" role="rowgroup" style={{ height: `${all.length * ROW_PX}px` }}>
          {rendered.map((entry, index) =>
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
              <DayRow key={entry.id} day={entry} index={from + index} rowHeight={ROW_PX} />
            ),
          )}
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

const PAGE_ROWS = 12

/** The keys of the list while it has the focus; letters are shortcuts of the whole page. */
const KEY_ACTIONS: Readonly<Record<string, () => void>> = {
  ArrowDown: () => moveCursor(1),
  ArrowUp: () => moveCursor(-1),
  PageDown: () => moveCursor(PAGE_ROWS),
  PageUp: () => moveCursor(-PAGE_ROWS),
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
