import { helpIsOpen } from './open.ts'

export function HelpButton() {
  return (
    <button type="button" class="quiet" onClick={() => (helpIsOpen.value = true)} title="All keyboard shortcuts (?)">
      <span aria-hidden="true">?</span>
      <span class="visually-hidden">Keyboard shortcuts</span>
    </button>
  )
}
