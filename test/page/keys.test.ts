import { describe, expect, it, vi } from 'vitest'
import {
  createFinder,
  nameOf,
  namesOf,
  type Press,
  search,
  SECOND_KEY_MS,
  type Shortcut,
  shortcut,
  shortcuts,
} from '../../src/page/keyboard/registry.ts'

const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  mod: false,
  alt: false,
  focus: 'elsewhere',
  at: 0,
  ...more,
})

const does = (keys: Shortcut['keys'], does: string, more: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  does,
  group: 'Look',
  run: () => {},
  ...more,
})

/** What a run of presses does, press by press. */
function pressing(registered: readonly Shortcut[], ...presses: Press[]): (string | undefined)[] {
  const find = createFinder(() => registered)
  return presses.map((one) => find(one)?.does)
}

describe('a press', () => {
  it('in a field is no shortcut, unless Ctrl or Cmd is held', () => {
    for (const key of ['x', '?', ']', '}', '/', 'Enter', 'Escape'])
      expect(nameOf(press(key, { focus: 'writing' }))).toBeUndefined()
    expect(nameOf(press('k', { focus: 'writing', mod: true }))).toBe('Mod+k')
    expect(nameOf(press('K', { mod: true }))).toBe('Mod+k')
  })

  it('of Enter or space on a button stays with the button; a letter there is a shortcut', () => {
    expect(nameOf(press('Enter', { focus: 'pressing' }))).toBeUndefined()
    expect(nameOf(press(' ', { focus: 'pressing' }))).toBeUndefined()
    expect(nameOf(press('x', { focus: 'pressing' }))).toBe('x')
    expect(nameOf(press('Enter'))).toBe('Enter')
  })

  it('with a modifier that the shortcut does not name is none', () => {
    const all = [does('k', 'up'), does('Mod+p', 'print')]
    expect(pressing(all, press('k', { mod: true }), press('k', { alt: true }), press('p'))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the registry', () => {
  it('reads two keys after one another, and each of them alone', () => {
    const all = [does('c', 'copy'), does('g c', 'controls'), does('t', 'write'), does(['3', 'g t'], 'timeline')]
    expect(pressing(all, press('g'), press('c'), press('c'))).toEqual([undefined, 'controls', 'copy'])
    expect(pressing(all, press('g'), press('t'), press('3'))).toEqual([undefined, 'timeline', 'timeline'])
  })

  it('takes two keys for two where the second comes late', () => {
    const all = [does('c', 'copy'), does('g c', 'controls')]
    const late = press('c', { at: SECOND_KEY_MS + 1 })
    expect(pressing(all, press('g'), late)).toEqual([undefined, 'copy'])
    expect(pressing(all, press('g'), press('c', { at: SECOND_KEY_MS }))).toEqual([undefined, 'controls'])
  })

  it('a field between two keys parts them', () => {
    const all = [does('c', 'copy'), does('g c', 'controls')]
    expect(pressing(all, press('g'), press('a', { focus: 'writing' }), press('c'))).toEqual([
      undefined,
      undefined,
      'copy',
    ])
  })

  it('of two for one key takes the later one that makes sense now', () => {
    const isOpen = vi.fn(() => true)
    const all = [does('Escape', 'leave'), does('Escape', 'close', { when: isOpen })]
    expect(pressing(all, press('Escape'))).toEqual(['close'])
    isOpen.mockReturnValue(false)
    expect(pressing(all, press('Escape'))).toEqual(['leave'])
  })

  it('gives back what it took', () => {
    const before = shortcuts.value.length
    const remove = shortcut(does('z', 'something'))
    expect(shortcuts.value).toHaveLength(before + 1)
    remove()
    expect(shortcuts.value).toHaveLength(before)
  })
})

it('names keys as they stand on the keyboard', () => {
  expect(namesOf('Mod+k', true)).toEqual(['⌘', 'K'])
  expect(namesOf('Mod+k', false)).toEqual(['Ctrl', 'K'])
  expect(namesOf('g c', false)).toEqual(['g', 'c'])
  expect(namesOf('R', false)).toEqual(['Shift', 'R'])
  expect(namesOf('Escape', false)).toEqual(['Esc'])
})

it('the palette finds by any of the words, and has first what begins with them', () => {
  const all = [
    does([], 'Show the clock', { group: 'Look' }),
    does([], 'Clock back', { group: 'Time' }),
    does([], 'The next send: Lose the answer', { group: 'Break' }),
  ]
  expect(search(all, 'CLOCK').map((it) => it.does)).toEqual(['Clock back', 'Show the clock'])
  expect(search(all, 'lose send').map((it) => it.does)).toEqual(['The next send: Lose the answer'])
  expect(search(all, 'break').map((it) => it.does)).toEqual(['The next send: Lose the answer'])
  expect(search(all, ' ')).toEqual(all)
  expect(search(all, 'nothing like it')).toEqual([])
})
