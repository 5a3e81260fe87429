import { Controls } from './controls/controls.tsx'
import { Shortcuts } from './keys/shortcuts.tsx'
import { CopyByHand } from './parts/copy-by-hand.tsx'
import { Notice } from './parts/notice.tsx'
import { Said } from './parts/said.tsx'
import { PaneTabs } from './parts/pane-tabs.tsx'
import { TokenAsk } from './parts/token-ask.tsx'
import { TopBar } from './parts/top-bar.tsx'
import { Phone } from './phone/phone.tsx'
import { pane } from './state/view.ts'
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
