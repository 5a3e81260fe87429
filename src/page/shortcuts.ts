import { helpIsOpen } from './keyboard/help.tsx'
import { palette } from './keyboard/palette.tsx'
import { shortcut } from './keyboard/registry.ts'
import { isRecording, startRecording, stopRecording } from './recorder/recording.ts'
import { moveClock, offsetMs, resetClock } from './state/clock.ts'
import { toBeforeClose } from './state/open-customer.ts'
import { openPart, type Pane, pane } from './state/view.ts'
import { faults } from './state/world.ts'

shortcut({ keys: ['1', 'g c'], group: 'Look', does: 'Go to the controls', run: () => moveTo('controls') })
shortcut({ keys: ['2', 'g p'], group: 'Look', does: 'Go to the phone', run: () => moveTo('phone', '.thread') })
shortcut({
  keys: ['3', 'g t'],
  group: 'Look',
  does: 'Go to the timeline',
  run: () => moveTo('timeline', '#timeline-rows'),
})
shortcut({
  keys: '/',
  group: 'Look',
  does: 'Search the timeline',
  run: () => moveTo('timeline', 'input[type="search"]'),
})
shortcut({ keys: 't', group: 'Write', does: 'Write as the customer', run: () => moveTo('phone', '#message') })
shortcut({
  keys: [],
  group: 'Write',
  does: 'Become another customer',
  run: () => moveTo('controls', '#customer'),
})

shortcut({ keys: ']', group: 'Time', does: 'Move the clock by an hour', run: () => moveClock('1h') })
shortcut({ keys: '}', group: 'Time', does: 'Move the clock by 24 hours', run: () => moveClock('24h') })
shortcut({
  keys: [],
  group: 'Time',
  does: 'Move the clock to one second before the window closes',
  run: () => toBeforeClose(),
})
shortcut({
  keys: [],
  group: 'Time',
  does: 'Set the clock back to the time of this machine',
  when: () => offsetMs.peek() !== 0,
  run: resetClock,
})

shortcut({
  keys: 'x',
  group: 'Break',
  does: 'Arm or disarm a fault',
  run: () => (palette.value = 'Break'),
})
shortcut({
  keys: [],
  group: 'Break',
  does: 'Show what is armed',
  when: () => faults.peek().rules.length > 0,
  run: () => openPart('faults'),
})

shortcut({
  keys: 'R',
  group: 'Record',
  does: 'Begin or end a recording',
  run: () => (isRecording.peek() ? stopRecording() : startRecording()),
})

shortcut({
  keys: 'Mod+k',
  group: 'Help',
  does: 'Find anything that can be done',
  when: () => palette.peek() === undefined,
  run: () => (palette.value = 'all'),
})
shortcut({ keys: '?', group: 'Help', does: 'List these shortcuts', run: () => (helpIsOpen.value = true) })

const FIRST = 'button, [href], input, select, textarea, summary, [tabindex]:not([tabindex="-1"])'

/** Shows a pane and puts the focus into it: on what `selector` names there, or on the first thing that takes it. */
export function moveTo(name: Pane, selector = FIRST): void {
  pane.value = name
  // At once where it is seen, so that the next key is written there; else as soon as it is drawn.
  if (!focusOn(name, selector)) requestAnimationFrame(() => focusOn(name, selector))
}

function focusOn(name: Pane, selector: string): boolean {
  const found = document.querySelector(`.pane.${name}`)?.querySelectorAll<HTMLElement>(selector) ?? []
  const target = [...found].find((element) => element.checkVisibility())
  target?.focus()
  if (target instanceof HTMLInputElement) target.select()
  return target !== undefined
}
