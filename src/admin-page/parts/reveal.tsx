import { isRevealed, toggleRevealed } from '../state/shown.ts'
import { mayReveal } from '../state/visitor.ts'

/** Shows what is masked in one view, by a deliberate press; absent for whoever may not. */
export function Reveal({ path }: { path: string }) {
  if (!mayReveal.value) return null
  const on = isRevealed(path)
  return (
    <button
      type="button"
      class={`reveal ${on ? 'on' : ''}`}
      data-does="reveal"
      aria-pressed={on}
      title={
        on
          ? 'Mask numbers, names and texts again'
          : 'Numbers, names and texts of this view are shown. That is recorded.'
      }
      onClick={() => toggleRevealed(path)}
    >
      {on ? 'Revealed' : 'Reveal'}
    </button>
  )
}
