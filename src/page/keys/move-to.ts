import { type Pane, pane } from '../state/view.ts'

const FIRST = 'button, [href], input, select, textarea, summary, [tabindex]:not([tabindex="-1"])'

/** Shows a pane and puts the focus into it: on what `selector` names there, or on the first thing that takes it. */
export function moveTo(name: Pane, selector = FIRST): void {
  pane.value = name
  // Where one pane is seen at a time, it is drawn first.
  requestAnimationFrame(() => {
    const found = document.querySelector(`.pane.${name}`)?.querySelectorAll<HTMLElement>(selector) ?? []
    const target = [...found].find((element) => element.checkVisibility())
    target?.focus()
    if (target instanceof HTMLInputElement) target.select()
  })
}
