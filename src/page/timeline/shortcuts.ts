import { registerShortcuts } from '../../ui/keyboard/registry.ts'
import { pane, selectedMessage } from '../state/view.ts'
import { copyAsCurl, duplicate, isEditing, replay, startEdit } from './actions.ts'
import { openedDelivery, openedRow } from './details.ts'
import { closeRow, cursor, moveCursor, openCursor } from './list-state.ts'

const isOpen = () => openedRow.peek() !== undefined
const isOpenOrMarked = () => isOpen() || selectedMessage.peek() !== ''
const hasDelivery = () => openedDelivery() !== undefined && !isEditing.peek()

registerShortcuts('Timeline', [
  ['j', 'To the next line', () => moveTo(1)],
  ['k', 'To the line before', () => moveTo(-1)],
  ['Enter', 'Unfold the turn, or open the row', openCursor, () => cursor.peek() !== ''],
  ['Escape', 'Close the details', closeAndReturn, isOpenOrMarked],
  ['r', 'Replay the open delivery, signed now', replay, hasDelivery],
  ['e', 'Edit the open delivery and send it', startEdit, hasDelivery],
  ['d', 'Deliver the open delivery twice at once', duplicate, hasDelivery],
  ['c', 'Copy what is open as a curl command', copyAsCurl, isOpen],
])

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
