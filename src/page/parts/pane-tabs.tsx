import { type Pane, pane } from '../state/view.ts'

const PANES: readonly (readonly [Pane, string])[] = [
  ['controls', 'Controls'],
  ['phone', 'Phone'],
  ['timeline', 'Timeline'],
]

/** On a narrow screen one pane is seen at a time. */
export function PaneTabs() {
  return (
    <nav class="pane-tabs" aria-label="Panes">
      {PANES.map(([name, title]) => (
        <button
          type="button"
          key={name}
          aria-current={pane.value === name ? 'page' : undefined}
          onClick={() => (pane.value = name)}
        >
          {title}
        </button>
      ))}
    </nav>
  )
}
