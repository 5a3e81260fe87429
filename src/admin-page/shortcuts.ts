import { isHelpOpen } from '../ui/keyboard/help.tsx'
import { registerShortcuts } from '../ui/keyboard/registry.ts'
import { goBack, goTo } from './state/address.ts'
import { linkTo } from './state/place.ts'
import { TABS } from './top-bar.tsx'

/** The groups of the page's shortcuts, in the order in which the help lists them. */
export const GROUPS = ['Go to', 'Lists', 'Do', 'Help'] as const

registerShortcuts('Go to', [
  ...TABS.map(([view, title, keys]) => [keys, title, () => goTo(linkTo(view))] as const),
  ['/', 'Search', () => document.querySelector<HTMLInputElement>('.search input')?.select()],
  ['Escape', 'Back', goBack],
])
registerShortcuts('Do', [
  ['r', 'Retry', () => buttonFor('retry')?.click(), () => buttonFor('retry') !== null],
  [
    'v',
    'Show numbers and texts, or mask them again',
    () => buttonFor('reveal')?.click(),
    () => buttonFor('reveal') !== null,
  ],
])
registerShortcuts('Help', [['?', 'List these shortcuts', () => (isHelpOpen.value = true)]])

/** The button of the view that does this, if the person may do it here. */
function buttonFor(name: string): HTMLButtonElement | null {
  return document.querySelector<HTMLButtonElement>(`#view button[data-does="${name}"]:not(:disabled)`)
}
