import { type Pane, pane } from '../state/view.ts'

const FIRST = 'button, [href], input, select, textarea, summary, [tabindex]:not([tabindex="-1"])'

/** Shows a pane and puts the focus into it: on what `selector` names there, or on the first thing that takes it. */
export function moveTo(name: Pane, selector = FIRST): void {
  pane.value = name
  // At once where it is seen, so that the next key is written there; else as soon as it is drawn.
  if (!focusOn(name, selector)) requestAnimationFrame(() => focusOn(name, selector))
}

function focusOn(name: Pane, selector: string): boolean {
  const found = document.querySelector(`.pane.${name}`)?.querySelectorAll<HTMLElement>(selector) ?? []
  const target = [...found].find((element) => element.checkVisibility())
  target?.focus()
  if (target instanceof HTMLInputElement) target.select()
  return target !== undefined
}
