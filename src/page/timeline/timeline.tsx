import { useComputed } from '@preact/signals'
import { Icon } from '../../ui/components/icon.tsx'
import { openRowId, selectedMessage } from '../state/view.ts'
import { Inspector } from './inspector/inspector.tsx'
import { markedRows, moveToMarked, unmark } from './list-state.ts'
import { List } from './list.tsx'
import { SearchBox } from './search-box.tsx'
import './shortcuts.ts'

/** The timeline pane: calls, deliveries and changes in one list, with the details of the open row. */
export function Timeline() {
  const isOpen = useComputed(() => openRowId.value !== '').value
  return (
    <section class="pane timeline" aria-label="Timeline">
      <SearchBox />
      <MarkedBar />
      <div class={`timeline-body ${isOpen ? 'split' : ''}`}>
        <List />
        {isOpen && <Inspector />}
      </div>
    </section>
  )
}

/** Counts the rows of the marked message, and moves between them. */
function MarkedBar() {
  if (selectedMessage.value === '') return null
  const count = markedRows.value.length
  return (
    <div class="marked-bar">
      <span>
        {count === 0
          ? 'No row of this message is shown'
          : `${count} ${count === 1 ? 'row' : 'rows'} of the marked message`}
      </span>
      {count > 0 && (
        <>
          <button
            type="button"
            class="quiet"
            aria-label="To its row before"
            title="To its row before"
            onClick={() => moveToMarked(-1)}
          >
            ↑
          </button>
          <button
            type="button"
            class="quiet"
            aria-label="To its next row"
            title="To its next row"
            onClick={() => moveToMarked(1)}
          >
            ↓
          </button>
        </>
      )}
      <button type="button" class="quiet" aria-label="Unmark" title="Unmark" onClick={unmark}>
        <Icon name="close" />
      </button>
    </div>
  )
}
