import { openRow, query, selectedMessage } from '../state/view.ts'
import { isRow } from './entries.ts'
import { keyed } from './list-keys.ts'
import { cursor, entries, open } from './live.ts'
import { Nothing } from './nothing.tsx'
import { DayLine, RowLine } from './row-line.tsx'
import { usePlace } from './use-place.ts'

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
