import { isHelpOpen } from '../ui/keyboard/help.tsx'
import { paletteScope } from './keyboard/palette.tsx'
import { registerShortcut } from '../ui/keyboard/registry.ts'
import { isRecording, startRecording, stopRecording } from './recorder/recording.ts'
import { moveClock, offsetMs, resetClock } from './state/clock.ts'
import { moveToWindowEnd } from './state/selected-customer.ts'
import { faults } from './state/service.ts'
import { openSection, type Pane, pane } from './state/view.ts'

// The shortcuts of the whole page. A shortcut of one pane is registered beside that pane.

registerShortcut({ keys: ['1', 'g c'], group: 'Look', title: 'Go to the controls', run: () => focusPane('controls') })
registerShortcut({
  keys: ['2', 'g p'],
  group: 'Look',
  title: 'Go to the phone',
  run: () => focusPane('phone', '.thread'),
})
registerShortcut({
  keys: ['3', 'g t'],
  group: 'Look',
  title: 'Go to the timeline',
  run: () => focusPane('timeline', '#timeline-rows'),
})
registerShortcut({
  keys: '/',
  group: 'Look',
  title: 'Search the timeline',
  run: () => focusPane('timeline', 'input[type="search"]'),
})
registerShortcut({
  keys: 't',
  group: 'Write',
  title: 'Write as the customer',
  run: () => focusPane('phone', '#message'),
})
registerShortcut({
  keys: [],
  group: 'Write',
  title: 'Become another customer',
  run: () => focusPane('controls', '#customer'),
})

registerShortcut({ keys: ']', group: 'Time', title: 'Move the clock by an hour', run: () => moveClock('1h') })
registerShortcut({ keys: '}', group: 'Time', title: 'Move the clock by 24 hours', run: () => moveClock('24h') })
registerShortcut({
  keys: [],
  group: 'Time',
  title: 'Move the clock to one second before the window closes',
  run: () => moveToWindowEnd(),
})
registerShortcut({
  keys: [],
  group: 'Time',
  title: 'Set the clock back to the time of this machine',
  when: () => offsetMs.peek() !== 0,
  run: resetClock,
})

registerShortcut({
  keys: 'x',
  group: 'Break',
  title: 'Arm or disarm a fault',
  run: () => (paletteScope.value = 'Break'),
})
registerShortcut({
  keys: [],
  group: 'Break',
  title: 'Show what is armed',
  when: () => faults.peek().rules.length > 0,
  run: () => openSection('faults'),
})

registerShortcut({
  keys: 'R',
  group: 'Record',
  title: 'Begin or end a recording',
  run: () => (isRecording.peek() ? stopRecording() : startRecording()),
})

registerShortcut({
  keys: 'Mod+k',
  group: 'Help',
  title: 'Find anything that can be done',
  when: () => paletteScope.peek() === undefined,
  run: () => (paletteScope.value = 'all'),
})
registerShortcut({ keys: '?', group: 'Help', title: 'List these shortcuts', run: () => (isHelpOpen.value = true) })

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
