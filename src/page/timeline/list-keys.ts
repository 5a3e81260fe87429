import { closeAndReturn } from './shortcuts.ts'
import { moveCursor, moveToEnd, openCursor } from './live.ts'

const PAGE = 12

/** What the keys do while the list has the focus; letters are shortcuts of the page. */
const DOES: Readonly<Record<string, () => void>> = {
  ArrowDown: () => moveCursor(1),
  ArrowUp: () => moveCursor(-1),
  PageDown: () => moveCursor(PAGE),
  PageUp: () => moveCursor(-PAGE),
  Home: () => moveToEnd('first'),
  End: () => moveToEnd('last'),
  Enter: openCursor,
  ' ': openCursor,
  Escape: closeAndReturn,
}

export function keyed(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(DOES, event.key)) return
  event.preventDefault()
  DOES[event.key]?.()
}
