import { describe, expect, it, vi } from 'vitest'
import {
  createShortcutFinder,
  keyLabels,
  keyName,
  type Press,
  registerShortcut,
  searchShortcuts,
  SECOND_KEY_MS,
  type Shortcut,
  shortcuts,
} from '../../src/ui/keyboard/registry.ts'

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  mod: false,
  alt: false,
  focus: 'elsewhere',
  at: 0,
  ...more,
})

const shortcutOf = (keys: Shortcut['keys'], title: string, more: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  title,
  group: 'Look',
  run: () => {},
  ...more,
})

/** The titles of the shortcuts that a series of presses runs. */
function pressing(registered: readonly Shortcut[], ...presses: Press[]): (string | undefined)[] {
  const find = createShortcutFinder(() => registered)
  return presses.map((one) => find(one)?.title)
}

describe('a key press', () => {
  it('in a field is no shortcut, unless Ctrl or Cmd is held', () => {
    for (const key of ['x', '?', ']', '}', '/', 'Enter', 'Escape'])
      expect(keyName(press(key, { focus: 'writing' }))).toBeUndefined()
    expect(keyName(press('k', { focus: 'writing', mod: true }))).toBe('Mod+k')
    expect(keyName(press('K', { mod: true }))).toBe('Mod+k')
  })

  it('on a button is a shortcut for a letter, and stays with the button for Enter or space', () => {
    expect(keyName(press('Enter', { focus: 'pressing' }))).toBeUndefined()
    expect(keyName(press(' ', { focus: 'pressing' }))).toBeUndefined()
    expect(keyName(press('x', { focus: 'pressing' }))).toBe('x')
    expect(keyName(press('Enter'))).toBe('Enter')
  })

  it('with a modifier that the shortcut does not name is none', () => {
    const all = [shortcutOf('k', 'up'), shortcutOf('Mod+p', 'print')]
    expect(pressing(all, press('k', { mod: true }), press('k', { alt: true }), press('p'))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the registry', () => {
  it('reads two keys one after the other, and each of them alone', () => {
    const all = [
      shortcutOf('c', 'copy'),
      shortcutOf('g c', 'controls'),
      shortcutOf('t', 'write'),
      shortcutOf(['3', 'g t'], 'timeline'),
    ]
    expect(pressing(all, press('g'), press('c'), press('c'))).toEqual([undefined, 'controls', 'copy'])
    expect(pressing(all, press('g'), press('t'), press('3'))).toEqual([undefined, 'timeline', 'timeline'])
  })

  it('takes two keys for two shortcuts if the second comes late', () => {
    const all = [shortcutOf('c', 'copy'), shortcutOf('g c', 'controls')]
    const late = press('c', { at: SECOND_KEY_MS + 1 })
    expect(pressing(all, press('g'), late)).toEqual([undefined, 'copy'])
    expect(pressing(all, press('g'), press('c', { at: SECOND_KEY_MS }))).toEqual([undefined, 'controls'])
  })

  it('takes two keys for two shortcuts if a field has the focus between them', () => {
    const all = [shortcutOf('c', 'copy'), shortcutOf('g c', 'controls')]
    expect(pressing(all, press('g'), press('a', { focus: 'writing' }), press('c'))).toEqual([
      undefined,
      undefined,
      'copy',
    ])
  })

  it('prefers the later of two available shortcuts with the same key', () => {
    const isOpen = vi.fn(() => true)
    const all = [shortcutOf('Escape', 'leave'), shortcutOf('Escape', 'close', { when: isOpen })]
    expect(pressing(all, press('Escape'))).toEqual(['close'])
    isOpen.mockReturnValue(false)
    expect(pressing(all, press('Escape'))).toEqual(['leave'])
  })

  it('removes a shortcut again', () => {
    const before = shortcuts.value.length
    const remove = registerShortcut(shortcutOf('z', 'something'))
    expect(shortcuts.value).toHaveLength(before + 1)
    remove()
    expect(shortcuts.value).toHaveLength(before)
  })
})

it('keys are labelled as on the keyboard', () => {
  expect(keyLabels('Mod+k', true)).toEqual(['⌘', 'K'])
  expect(keyLabels('Mod+k', false)).toEqual(['Ctrl', 'K'])
  expect(keyLabels('g c', false)).toEqual(['g', 'c'])
  expect(keyLabels('R', false)).toEqual(['Shift', 'R'])
  expect(keyLabels('Escape', false)).toEqual(['Esc'])
})

it('the palette finds commands by any of their words, those that begin with the query first', () => {
  const all = [
    shortcutOf([], 'Show the clock', { group: 'Look' }),
    shortcutOf([], 'Clock back', { group: 'Time' }),
    shortcutOf([], 'The next send: Lose the answer', { group: 'Break' }),
  ]
  expect(searchShortcuts(all, 'CLOCK').map((it) => it.title)).toEqual(['Clock back', 'Show the clock'])
  expect(searchShortcuts(all, 'lose send').map((it) => it.title)).toEqual(['The next send: Lose the answer'])
  expect(searchShortcuts(all, 'break').map((it) => it.title)).toEqual(['The next send: Lose the answer'])
  expect(searchShortcuts(all, ' ')).toEqual(all)
  expect(searchShortcuts(all, 'nothing like it')).toEqual([])
})
