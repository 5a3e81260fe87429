import { CopyByHand } from '../ui/components/copy.tsx'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { useEffect } from 'preact/hooks'
import { onKeyDown } from './keyboard.ts'
import { Controls } from './controls/controls.tsx'
import { Phone } from './phone/phone.tsx'
import { type Pane, pane } from './state/view.ts'
import { Timeline } from './timeline/timeline.tsx'
import { TokenForm, TopBar } from './top-bar.tsx'

export function App() {
  useEffect(() => document.addEventListener('keydown', onKeyDown), [])
  return (
    <div class="app" data-pane={pane.value}>
      <TopBar />
      <TokenForm />
      <main class="panes">
        <Controls />
        <Phone />
        <Timeline />
      </main>
      <PaneTabs />
      <Notice />
      <Toast />
      <CopyByHand />
    </div>
  )
}

const PANES: readonly (readonly [Pane, string])[] = [
  ['controls', 'Controls'],
  ['phone', 'Phone'],
  ['timeline', 'Timeline'],
]

function PaneTabs() {
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
