import { registerShortcut } from '../../ui/keyboard/registry.ts'
import { pane, selectedMessage } from '../state/view.ts'
import { copyAsCurl, duplicate, isEditing, replay, startEdit } from './actions.ts'
import { openedDelivery, openedRow } from './details.ts'
import { closeRow, cursor, moveCursor, openCursor } from './list-state.ts'

const isOpen = () => openedRow.peek() !== undefined
const isOpenOrMarked = () => isOpen() || selectedMessage.peek() !== ''
const hasDelivery = () => openedDelivery() !== undefined && !isEditing.peek()

const group = 'Timeline'

registerShortcut({ keys: 'j', group, title: 'To the next line', run: () => moveTo(1) })
registerShortcut({ keys: 'k', group, title: 'To the line before', run: () => moveTo(-1) })
registerShortcut({
  keys: 'Enter',
  group,
  title: 'Unfold the turn, or open the row',
  when: () => cursor.peek() !== '',
  run: openCursor,
})
registerShortcut({ keys: 'Escape', group, title: 'Close the details', when: isOpenOrMarked, run: closeAndReturn })
registerShortcut({ keys: 'r', group, title: 'Replay the open delivery, signed now', when: hasDelivery, run: replay })
registerShortcut({ keys: 'e', group, title: 'Edit the open delivery and send it', when: hasDelivery, run: startEdit })
registerShortcut({
  keys: 'd',
  group,
  title: 'Deliver the open delivery twice at once',
  when: hasDelivery,
  run: duplicate,
})
registerShortcut({ keys: 'c', group, title: 'Copy what is open as a curl command', when: isOpen, run: copyAsCurl })

function moveTo(by: number): void {
  pane.value = 'timeline'
  moveCursor(by)
  // At once, so that the next key reaches the list; again later, since a narrow screen renders the pane first.
  focusList()
  requestAnimationFrame(focusList)
}

/** Goes back one step: from the edit form to the details, and from there to the list. */
export function closeAndReturn(): void {
  if (isEditing.peek()) isEditing.value = false
  else closeRow()
  focusList()
}

/** Focuses the list, so that its keys still work after the focused element has gone. */
export function focusList(): void {
  document.querySelector<HTMLElement>('#timeline-rows')?.focus({ preventScroll: true })
}
