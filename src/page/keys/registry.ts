import { signal } from '@preact/signals'
import { createReader, type Press } from './press.ts'

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
