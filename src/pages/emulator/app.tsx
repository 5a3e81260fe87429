import { Notice, Toast } from '../ui/components/notices.tsx'
import { useEffect } from 'preact/hooks'
import { Controls } from './controls/controls.tsx'
import { Phone } from './phone/phone.tsx'
import { type Pane, pane, openRowId, selectedMessage } from './state/view.ts'
import { Timeline } from './timeline/timeline.tsx'
import { TokenHint, TopBar } from './top-bar.tsx'
import { closeDetails } from './timeline/state.ts'

export function App() {
  useEffect(() => document.addEventListener('keydown', onKeyDown), [])
  return (
    <div class="app" data-pane={pane.value}>
      <TopBar />
      <TokenHint />
      <main class="panes">
        <Controls />
        <Phone />
        <Timeline />
      </main>
      <PaneTabs />
      <Notice />
      <Toast />
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

const SHORTCUTS: Readonly<Record<string, () => void>> = {
  t: () => focusField('phone', '#message'),
  '/': () => focusField('timeline', 'input[type="search"]'),
}

function onKeyDown(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const isInField = target instanceof Element && target.matches('input, textarea, select')
  if (event.defaultPrevented || isInField || ctrlKey || metaKey || altKey) return
  if (document.querySelector('dialog:modal') !== null) return
  const isOpen = openRowId.peek() !== '' || selectedMessage.peek() !== ''
  const run = key === 'Escape' && isOpen ? closeDetails : Object.hasOwn(SHORTCUTS, key) ? SHORTCUTS[key] : undefined
  if (run === undefined) return
  event.preventDefault()
  run()
}

function focusField(name: Pane, selector: string): void {
  pane.value = name
  const focus = () => document.querySelector<HTMLElement>(selector)?.focus()
  focus()
  // A narrow screen renders the pane first.
  requestAnimationFrame(focus)
}
