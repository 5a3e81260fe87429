import { isHelpOpen } from '../ui/keyboard/help.tsx'
import { paletteScope } from './keyboard/palette.tsx'
import { registerShortcuts } from '../ui/keyboard/registry.ts'
import { isRecording, startRecording, stopRecording } from './recorder/recording.ts'
import { moveClock, offsetMs, resetClock } from './state/clock.ts'
import { moveToWindowEnd } from './state/selected-customer.ts'
import { faults } from './state/service.ts'
import { openSection, type Pane, pane } from './state/view.ts'

// The shortcuts of the whole page. A shortcut of one pane is registered beside that pane.

registerShortcuts('Look', [
  [['1', 'g c'], 'Go to the controls', () => focusPane('controls')],
  [['2', 'g p'], 'Go to the phone', () => focusPane('phone', '.thread')],
  [['3', 'g t'], 'Go to the timeline', () => focusPane('timeline', '#timeline-rows')],
  ['/', 'Search the timeline', () => focusPane('timeline', 'input[type="search"]')],
])
registerShortcuts('Write', [
  ['t', 'Write as the customer', () => focusPane('phone', '#message')],
  [[], 'Become another customer', () => focusPane('controls', '#customer')],
])
registerShortcuts('Time', [
  [']', 'Move the clock by an hour', () => moveClock('1h')],
  ['}', 'Move the clock by 24 hours', () => moveClock('24h')],
  [[], 'Move the clock to one second before the window closes', moveToWindowEnd],
  [[], 'Set the clock back to the time of this machine', resetClock, () => offsetMs.peek() !== 0],
])
registerShortcuts('Break', [
  ['x', 'Arm or disarm a fault', () => (paletteScope.value = 'Break')],
  [[], 'Show what is armed', () => openSection('faults'), () => faults.peek().rules.length > 0],
])
registerShortcuts('Record', [
  ['R', 'Begin or end a recording', () => (isRecording.peek() ? stopRecording() : startRecording())],
])
registerShortcuts('Help', [
  [
    'Mod+k',
    'Find anything that can be done',
    () => (paletteScope.value = 'all'),
    () => paletteScope.peek() === undefined,
  ],
  ['?', 'List these shortcuts', () => (isHelpOpen.value = true)],
])

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
