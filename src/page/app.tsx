import { CopyByHand } from './components/copy.tsx'
import { Controls } from './controls/controls.tsx'
import './shortcuts.ts'
import { Notice, Said, TokenAsk } from './frame/messages.tsx'
import { TopBar } from './frame/top-bar.tsx'
import { Shortcuts } from './keyboard/keyboard.tsx'
import { Phone } from './phone/phone.tsx'
import { pane, type Pane } from './state/view.ts'
import { Timeline } from './timeline/timeline.tsx'

export function App() {
  return (
    <div class="app" data-pane={pane.value}>
      <TopBar />
      <TokenAsk />
      <main class="panes">
        <Controls />
        <Phone />
        <Timeline />
      </main>
      <PaneTabs />
      <Notice />
      <Said />
      <Shortcuts />
      <CopyByHand />
    </div>
  )
}

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
