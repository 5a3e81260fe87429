import { shortcut } from '../../keys/registry.ts'
import { arm, armedCount, disarmAll } from './arm.ts'
import type { Often } from './often.ts'
import { DELIVERY_PRESETS, type Preset, SEND_PRESETS } from './presets.ts'

const ONCE: Often = { how: 'next', count: 1, onlyOne: false }

const armNext = (noun: string) => (preset: Preset) =>
  shortcut({
    keys: [],
    group: 'Break',
    does: `The next ${noun}: ${preset.title}`,
    run: () => arm(preset.rule, ONCE),
  })

shortcut({
  keys: [],
  group: 'Break',
  does: 'Disarm all faults',
  when: () => armedCount() > 0,
  run: disarmAll,
})
SEND_PRESETS.forEach(armNext('send'))
DELIVERY_PRESETS.forEach(armNext('delivery'))
