import { describe, expect, it } from 'vitest'
import { findShortcut, type Shortcut } from '../../src/page/keyboard/find-shortcut.ts'

const nothing = () => {}
const ALL: readonly Shortcut[] = [
  ['j ArrowDown', 'down', nothing],
  ['Escape', 'close', nothing, () => false],
  [']', 'later', nothing],
]

function pressing(
  key: string,
  more: { ctrlKey?: boolean; altKey?: boolean; isAltGraph?: boolean } = {},
  isInField = false,
) {
  const { ctrlKey = false, altKey = false, isAltGraph = false } = more
  const press = { key, ctrlKey, altKey, metaKey: false, getModifierState: () => isAltGraph }
  return findShortcut(ALL, press, isInField)?.[1]
}

describe('a key press', () => {
  it('runs the shortcut that has its key, if that is available', () => {
    expect([pressing('j'), pressing('ArrowDown'), pressing('Escape'), pressing('x')]).toEqual([
      'down',
      'down',
      undefined,
      undefined,
    ])
  })

  it('in a field is no shortcut', () => {
    for (const key of ['j', ']']) expect(pressing(key, {}, true)).toBeUndefined()
  })

  it('with Ctrl or Alt is no shortcut, and with AltGr it is', () => {
    expect(pressing('j', { ctrlKey: true })).toBeUndefined()
    expect(pressing(']', { altKey: true })).toBeUndefined()
    expect(pressing(']', { ctrlKey: true, altKey: true, isAltGraph: true })).toBe('later')
  })
})
