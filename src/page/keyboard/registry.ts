import { signal } from '@preact/signals'

export interface Shortcut {
  /**
   * As the browser names the key (`?`, `]`, `j`, `Enter`, `Escape`), two after one another (`g c`), or with Ctrl or
   * Cmd (`Mod+k`). Several do the same; none: it is found in the palette alone.
   */
  readonly keys: string | readonly string[]
  /** In words, as the help lists it: `Move the clock by an hour`. */
  readonly does: string
  readonly group: Group
  readonly run: () => void
  /** Where it makes sense; default: always. Elsewhere the key stays with the page. */
  readonly when?: () => boolean
}

export const GROUPS = ['Look', 'Write', 'Time', 'Timeline', 'Break', 'Record', 'Help'] as const
export type Group = (typeof GROUPS)[number]

/** All that can be done by keyboard, in the order of their registration. */
export const shortcuts = signal<readonly Shortcut[]>([])

/** Registers one; the answer takes it away again. Of two for one key the later one goes first. */
export function shortcut(it: Shortcut): () => void {
  shortcuts.value = [...shortcuts.peek(), it]
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => one !== it)
  }
}

export function keysOf({ keys }: Pick<Shortcut, 'keys'>): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys
}

/** Whether it can be done now. */
export function makesSense({ when }: Shortcut): boolean {
  return when?.() ?? true
}

/** Finds what is meant by presses, one after the other; undefined where none is. */
export function createFinder(registered: () => readonly Shortcut[]) {
  const meant = createReader()
  return function find(press: Press): Shortcut | undefined {
    for (const keys of meant(press)) {
      const found = registered().findLast((it) => keysOf(it).includes(keys) && makesSense(it))
      if (found) return found
    }
    return undefined
  }
}

/** A key that went down, as far as shortcuts care. */
export interface Press {
  readonly key: string
  /** Ctrl, or Cmd on a Mac. */
  readonly mod: boolean
  readonly alt: boolean
  /** Where the focus is: what is written there stays there. */
  readonly focus: Focus
  /** When, in milliseconds of any one clock. */
  readonly at: number
}

/** `writing`: in a field that takes letters. `pressing`: on something that Enter or space presses. */
export type Focus = 'writing' | 'pressing' | 'elsewhere'

/** So long the second key of two may take. */
export const SECOND_KEY_MS = 1_000

/** The name of a press: `?`, `Enter`, `Mod+k`. Undefined for one that is no shortcut's, whatever is registered. */
export function nameOf({ key, mod, alt, focus }: Press): string | undefined {
  if (alt) return undefined
  if (mod) return `Mod+${key.length === 1 ? key.toLowerCase() : key}`
  if (focus === 'writing') return undefined
  if (focus === 'pressing' && (key === 'Enter' || key === ' ')) return undefined
  return key
}

/** Makes presses into the keys of shortcuts, one after the other or two together: answers what may be meant. */
export function createReader() {
  let before: { readonly name: string; readonly at: number } | undefined
  return function meant(press: Press): readonly string[] {
    const name = nameOf(press)
    const first = before
    before = undefined
    if (name === undefined) return []
    before = { name, at: press.at }
    const both = first !== undefined && press.at - first.at <= SECOND_KEY_MS ? [`${first.name} ${name}`] : []
    return [...both, name]
  }
}

/** Those that have every word of the query in them, whatever its case; those that begin with it first. */
export function search<T extends { readonly does: string; readonly group: string }>(
  all: readonly T[],
  query: string,
): readonly T[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return all
  const words = wanted.split(/\s+/)
  const found = all.filter(({ does, group }) => {
    const text = `${does} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const isFirst = ({ does }: T) => does.toLowerCase().startsWith(wanted)
  return [...found.filter(isFirst), ...found.filter((it) => !isFirst(it))]
}

const NAMES: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

/** The keys of a shortcut as they stand on a keyboard, one after the other: `Mod+k` is `⌘ K` or `Ctrl K`. */
export function namesOf(keys: string, isMac: boolean): readonly string[] {
  return keys.split(' ').flatMap((one) => {
    const [, key = ''] = /^Mod\+(.+)$/.exec(one) ?? []
    if (key !== '') return [isMac ? '⌘' : 'Ctrl', key.toUpperCase()]
    return /^[A-Z]$/.test(one) ? ['Shift', one] : [NAMES[one] ?? one]
  })
}

/** What a button says of its key when it is pointed at. */
export function withKey(words: string, key: string): string {
  return `${words} (${key})`
}
