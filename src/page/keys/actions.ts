import { armedCount } from '../controls/faults/arm.ts'
import { moveClock, resetClock, toBeforeClose } from '../controls/time/move.ts'
import { isRecording, startRecording, stopRecording } from '../recorder/recording.ts'
import { offsetMs } from '../state/clock.ts'
import { openPart } from '../state/view.ts'
import { moveTo } from './move-to.ts'
import { helpIsOpen, palette } from './open.ts'
import { shortcut } from './registry.ts'

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
  when: () => armedCount() > 0,
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
