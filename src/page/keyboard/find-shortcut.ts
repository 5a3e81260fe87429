/**
 * One shortcut: its keys as the browser names them (`?`, `Escape`), several with spaces between them; its title in the
 * help; its action; and whether it is available now (default: always). Without it the key does what the browser does.
 */
export type Shortcut = readonly [keys: string, title: string, run: () => void, isAvailable?: () => boolean]

/** The parts of a `KeyboardEvent` that count. */
interface Press {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  getModifierState(name: string): boolean
}

/** Finds the shortcut of a key press. Letters that are typed into a field are no shortcuts. */
export function findShortcut(all: readonly Shortcut[], press: Press, isInField: boolean): Shortcut | undefined {
  // Some keyboards have brackets and braces behind AltGr, which also reports Ctrl and Alt.
  const hasModifier = (press.ctrlKey || press.metaKey || press.altKey) && !press.getModifierState('AltGraph')
  if (isInField || hasModifier) return undefined
  return all.find(([keys, , , isAvailable]) => keys.split(' ').includes(press.key) && (isAvailable?.() ?? true))
}
