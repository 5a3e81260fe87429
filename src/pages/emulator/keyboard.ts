import { isRecording, startRecording, stopRecording } from './recorder/recorder.tsx'
import { openRowId, type Pane, pane, selectedMessage } from './state/view.ts'
import { closeDetails } from './timeline/state.ts'

const SHORTCUTS: Readonly<Record<string, () => void>> = {
  t: () => focusField('phone', '#message'),
  '/': () => focusField('timeline', 'input[type="search"]'),
  R: () => (isRecording.peek() ? stopRecording() : startRecording()),
}

export function onKeyDown(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const isInField = target instanceof Element && target.matches('input, textarea, select')
  if (event.defaultPrevented || isInField || ctrlKey || metaKey || altKey) return
  if (document.querySelector('dialog:modal') !== null) return
  const isOpen = openRowId.peek() !== '' || selectedMessage.peek() !== ''
  const run = key === 'Escape' && isOpen ? closeDetails : Object.hasOwn(SHORTCUTS, key) ? SHORTCUTS[key] : undefined
  if (run === undefined) return
  event.preventDefault()
  run()
}

function focusField(name: Pane, selector: string): void {
  pane.value = name
  const focus = () => document.querySelector<HTMLElement>(selector)?.focus()
  focus()
  // A narrow screen renders the pane first.
  requestAnimationFrame(focus)
}
