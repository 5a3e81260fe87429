import type { Shortcut } from './find-shortcut.ts'
import { isRecording, startRecording, stopRecording } from '../recorder/recorder.tsx'
import { moveClock } from '../state/clock.ts'
import { isRowByRow, openRowId, type Pane, pane, selectedMessage } from '../state/view.ts'
import { closeDetails, openedDelivery, replay } from '../timeline/details.ts'
import { focusList, moveCursor } from '../timeline/state.ts'

/** The shortcuts of the page. The list of the timeline has its own keys while it has the focus. */
export const SHORTCUTS: readonly Shortcut[] = [
  ['1', 'Go to the controls', () => focusPane('controls')],
  ['2', 'Go to the phone', () => focusPane('phone', '.thread')],
  ['3', 'Go to the timeline', focusList],
  ['t', 'Write as the customer', () => focusPane('phone', '#message')],
  ['/', 'Search the timeline', () => focusPane('timeline', 'input[type="search"]')],
  ['j', 'To the next line of the timeline', () => moveTo(1)],
  ['k', 'To the line before', () => moveTo(-1)],
  ['v', 'Show turns, or row by row', () => (isRowByRow.value = !isRowByRow.peek())],
  ['r', 'Replay the open delivery', replay, () => openedDelivery() !== undefined],
  ['Escape', 'Close the details', closeDetails, () => openRowId.peek() !== '' || selectedMessage.peek() !== ''],
  [']', 'Move the clock by an hour', () => moveClock('1h')],
  ['}', 'Move the clock by 24 hours', () => moveClock('24h')],
  ['R', 'Start or stop a recording', () => (isRecording.peek() ? stopRecording() : startRecording())],
]

function moveTo(by: number): void {
  moveCursor(by)
  focusList()
}

const FOCUSABLE = 'button, [href], input, select, textarea, summary, [tabindex]:not([tabindex="-1"])'

/** Shows a pane and focuses the first visible element that matches `selector`. */
function focusPane(name: Pane, selector = FOCUSABLE): void {
  pane.value = name
  // At once if the pane is visible, so that the next key is typed there; otherwise after it is rendered.
  if (!focusOn(name, selector)) requestAnimationFrame(() => focusOn(name, selector))
}

function focusOn(name: Pane, selector: string): boolean {
  const found = document.querySelector(`.pane.${name}`)?.querySelectorAll<HTMLElement>(selector) ?? []
  const target = [...found].find((element) => element.checkVisibility())
  target?.focus()
  if (target instanceof HTMLInputElement) target.select()
  return target !== undefined
}
