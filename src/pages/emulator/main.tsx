import '../ui/style/colours.css'
import '../ui/style/base.css'
import './emulator.css'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Notice, Toast } from '../ui/components/notices.tsx'
import { Controls } from './controls/controls.tsx'
import { Phone } from './phone/phone.tsx'
import { closeDetails } from './timeline/state.ts'
import { Timeline } from './timeline/timeline.tsx'
import { TokenHint, TopBar } from './top-bar.tsx'
import { follow } from './state/follow.ts'
import { openRowId, readAddress, syncAddress } from './state/view.ts'

readAddress()
syncAddress()
render(<App />, document.getElementById('page') as HTMLElement)
void follow()

function App() {
  useEffect(() => document.addEventListener('keydown', onKeyDown), [])
  return (
    <div class="app">
      <TopBar />
      <TokenHint />
      <main class="panes">
        <Controls />
        <Phone />
        <Timeline />
      </main>
      <Notice />
      <Toast />
    </div>
  )
}

/** For each key: the field that gets the focus. */
const FIELDS: Readonly<Record<string, string>> = { t: '#message', '/': '.timeline input[type="search"]' }

function onKeyDown(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const isInField = target instanceof Element && target.matches('input, textarea, select')
  if (event.defaultPrevented || isInField || ctrlKey || metaKey || altKey) return
  if (document.querySelector('dialog:modal') !== null) return
  const field = Object.hasOwn(FIELDS, key) ? document.querySelector<HTMLElement>(FIELDS[key] ?? '') : null
  if (field) field.focus()
  else if (key === 'Escape' && openRowId.peek() !== '') closeDetails()
  else return
  event.preventDefault()
}
