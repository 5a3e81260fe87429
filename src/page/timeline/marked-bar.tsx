import { Icon } from '../parts/icon.tsx'
import { selectedMessage } from '../state/view.ts'
import { marked, moveToMarked, unmark } from './live.ts'

/** The rows of the message that is marked on the phone, and the way to them. */
export function MarkedBar() {
  if (selectedMessage.value === '') return null
  const count = marked.value.length
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
