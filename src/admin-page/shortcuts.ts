import { isHelpOpen } from '../ui/keyboard/help.tsx'
import { registerShortcut } from '../ui/keyboard/registry.ts'
import { goBack, goTo } from './state/address.ts'
import { linkTo } from './state/place.ts'
import { TABS } from './top-bar.tsx'

/** The groups of the page's shortcuts, in the order in which the help lists them. */
export const GROUPS = ['Go to', 'Lists', 'Do', 'Help'] as const

for (const [view, title, keys] of TABS) registerShortcut({ keys, group: 'Go to', title, run: () => goTo(linkTo(view)) })

registerShortcut({
  keys: '/',
  group: 'Go to',
  title: 'Search',
  run: () => document.querySelector<HTMLInputElement>('.search input')?.select(),
})
registerShortcut({ keys: 'Escape', group: 'Go to', title: 'Back', run: goBack })

for (const [keys, name, title] of [
  ['r', 'retry', 'Retry'],
  ['v', 'reveal', 'Show numbers and texts, or mask them again'],
] as const)
  registerShortcut({
    keys,
    group: 'Do',
    title,
    when: () => buttonFor(name) !== null,
    run: () => buttonFor(name)?.click(),
  })

registerShortcut({ keys: '?', group: 'Help', title: 'List these shortcuts', run: () => (isHelpOpen.value = true) })

/** The button of the view that does this, if the person may do it here. */
function buttonFor(name: string): HTMLButtonElement | null {
  return document.querySelector<HTMLButtonElement>(`#view button[data-does="${name}"]:not(:disabled)`)
}
