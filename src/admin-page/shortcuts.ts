import type { Shortcut } from '../ui/shortcut.ts'
import { moveFocus } from './list/list.tsx'
import { goBack, goTo } from './state/address.ts'
import { linkTo } from './state/place.ts'
import { TABS } from './top-bar.tsx'

const hasList = () => document.querySelector('.rows') !== null

export const SHORTCUTS: readonly Shortcut[] = [
  ...TABS.map(([view, title], index): Shortcut => [String(index + 1), title, () => goTo(linkTo(view))]),
  ['/', 'Search', () => document.querySelector<HTMLInputElement>('.search input')?.select()],
  ['Escape', 'Back', goBack],
  ['j ArrowDown', 'To the next row', () => moveFocus(1), hasList],
  ['k ArrowUp', 'To the row before', () => moveFocus(-1), hasList],
  ['r', 'Retry', () => buttonFor('retry')?.click(), () => buttonFor('retry') !== null],
  [
    'v',
    'Show numbers and texts, or mask them again',
    () => buttonFor('reveal')?.click(),
    () => buttonFor('reveal') !== null,
  ],
]

/** The button of the view that does this, if the person may do it here. */
function buttonFor(name: string): HTMLButtonElement | null {
  return document.querySelector<HTMLButtonElement>(`#view button[data-does="${name}"]:not(:disabled)`)
}
