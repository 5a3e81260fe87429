import { signal } from '@preact/signals'

export interface Shortcut {
  /**
   * Key names as the browser gives them (`?`, `]`, `j`, `Enter`, `Escape`), two keys pressed one after the other
   * (`g c`), or with Ctrl or Cmd (`Mod+k`). Several alternatives may be given; without any the shortcut is in the
   * palette only.
   */
  readonly keys: string | readonly string[]
  /** The label in the help and the palette: `Move the clock by an hour`. */
  readonly title: string
  /** The heading under which the help lists the shortcut. */
  readonly group: string
  readonly run: () => void
  /** Tells if the shortcut is available now; always by default. Otherwise the key does what the browser does. */
  readonly when?: () => boolean
}

export const shortcuts = signal<readonly Shortcut[]>([])

/** Adds a shortcut and returns its removal. If two have the same key, the later one wins. */
export function registerShortcut(added: Shortcut): () => void {
  shortcuts.value = [...shortcuts.peek(), added]
  return () => {
    shortcuts.value = shortcuts.peek().filter((one) => one !== added)
  }
}

export function registerShortcuts(
  group: string,
  rows: readonly (readonly [
    keys: Shortcut['keys'],
    title: string,
    run: Shortcut['run'],
    when?: NonNullable<Shortcut['when']>,
  ])[],
): void {
  for (const [keys, title, run, when] of rows) registerShortcut({ keys, group, title, run, ...(when && { when }) })
}

export function keysOf({ keys }: Pick<Shortcut, 'keys'>): readonly string[] {
  return typeof keys === 'string' ? [keys] : keys
}

export function isAvailable({ when }: Shortcut): boolean {
  return when?.() ?? true
}

/** Returns a function that takes one key press after the other and finds the shortcut that they mean. */
export function createShortcutFinder(registered: () => readonly Shortcut[]) {
  const namesFor = createKeyReader()
  return function find(press: Press): Shortcut | undefined {
    for (const keys of namesFor(press)) {
      const found = registered().findLast((one) => keysOf(one).includes(keys) && isAvailable(one))
      if (found) return found
    }
    return undefined
  }
}

/** A key press, reduced to what shortcuts depend on. */
export interface Press {
  readonly key: string
  /** Ctrl, or Cmd on a Mac. */
  readonly mod: boolean
  readonly alt: boolean
  /** The kind of element that has the focus: letters typed into a field are no shortcuts. */
  readonly focus: Focus
  readonly at: number
}

/** `writing`: a field that takes letters. `pressing`: an element that Enter or space activates. */
export type Focus = 'writing' | 'pressing' | 'elsewhere'

/** The longest time between the two keys of one shortcut. */
export const SECOND_KEY_MS = 1_000

/** Returns a function that names what a press can mean: it alone, or together with the press before it. */
function createKeyReader() {
  let before: { readonly name: string; readonly at: number } | undefined
  return function namesFor(press: Press): readonly string[] {
    const name = keyName(press)
    const first = before
    before = undefined
    if (name === undefined) return []
    before = { name, at: press.at }
    const both = first !== undefined && press.at - first.at <= SECOND_KEY_MS ? [`${first.name} ${name}`] : []
    return [...both, name]
  }
}

/** Names a press: `?`, `Enter`, `Mod+k`. Undefined if it can be no shortcut, whatever is registered. */
export function keyName({ key, mod, alt, focus }: Press): string | undefined {
  if (alt) return undefined
  if (mod) return `Mod+${key.length === 1 ? key.toLowerCase() : key}`
  if (focus === 'writing') return undefined
  if (focus === 'pressing' && (key === 'Enter' || key === ' ')) return undefined
  return key
}

/** Finds the entries that contain every word of the query; those that begin with the query come first. */
export function searchShortcuts<T extends Pick<Shortcut, 'title' | 'group'>>(
  all: readonly T[],
  query: string,
): readonly T[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return all
  const words = wanted.split(/\s+/)
  const found = all.filter(({ title, group }) => {
    const text = `${title} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const beginsWithQuery = ({ title }: T) => title.toLowerCase().startsWith(wanted)
  return [...found.filter(beginsWithQuery), ...found.filter((one) => !beginsWithQuery(one))]
}

const KEY_LABELS: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

/** The labels on the keys of a shortcut, in the order of pressing: `Mod+k` is `⌘ K` or `Ctrl K`. */
export function keyLabels(keys: string, isMac: boolean): readonly string[] {
  return keys.split(' ').flatMap((one) => {
    const [, key = ''] = /^Mod\+(.+)$/.exec(one) ?? []
    if (key !== '') return [isMac ? '⌘' : 'Ctrl', key.toUpperCase()]
    return /^[A-Z]$/.test(one) ? ['Shift', one] : [KEY_LABELS[one] ?? one]
  })
}

export function withKeyHint(text: string, key: string): string {
  return `${text} (${key})`
}
