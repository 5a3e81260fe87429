import { shortcut } from '../keyboard/registry.ts'
import { pane } from '../state/view.ts'
import { copyAsCurl, duplicate, edit, editing, replay } from './actions.ts'
import { openDelivery, opened } from './details.ts'
import { close, cursor, moveCursor, openCursor } from './list-state.ts'

const isOpen = () => opened.peek() !== undefined
const hasDelivery = () => openDelivery() !== undefined && !editing.peek()

const group = 'Timeline'

shortcut({ keys: 'j', group, does: 'To the next row', run: () => moveTo(1) })
shortcut({ keys: 'k', group, does: 'To the row before', run: () => moveTo(-1) })
shortcut({ keys: 'Enter', group, does: 'Open the row', when: () => cursor.peek() !== '', run: openCursor })
shortcut({ keys: 'Escape', group, does: 'Close the details', when: isOpen, run: closeAndReturn })
shortcut({ keys: 'r', group, does: 'Replay the open delivery, signed now', when: hasDelivery, run: replay })
shortcut({ keys: 'e', group, does: 'Edit the open delivery and send it', when: hasDelivery, run: edit })
shortcut({ keys: 'd', group, does: 'Deliver the open delivery twice at once', when: hasDelivery, run: duplicate })
shortcut({ keys: 'c', group, does: 'Copy what is open as a curl command', when: isOpen, run: copyAsCurl })

function moveTo(by: number): void {
  pane.value = 'timeline'
  moveCursor(by)
  // At once, so that the next key finds it there; where one pane is seen at a time, it is drawn first.
  focusList()
  requestAnimationFrame(focusList)
}

/** From an edit to the details, from there to the list. */
export function closeAndReturn(): void {
  if (editing.peek()) editing.value = false
  else close()
  focusList()
}

/** So that the keys go on to work where what had the focus is gone. */
export function focusList(): void {
  document.querySelector<HTMLElement>('#timeline-rows')?.focus({ preventScroll: true })
}
