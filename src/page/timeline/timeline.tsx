import { useComputed } from '@preact/signals'
import { openRow } from '../state/view.ts'
import { Inspector } from './inspector/inspector.tsx'
import './shortcuts.ts'
import { List } from './list.tsx'
import { MarkedBar } from './marked-bar.tsx'
import { SearchBox } from './search-box.tsx'

/** All that happened, in one stream: calls in, deliveries out, and what changed around them. */
export function Timeline() {
  const isOpen = useComputed(() => openRow.value !== '').value
  return (
    <section class="pane timeline" aria-label="Timeline">
      <SearchBox />
      <MarkedBar />
      <div class={`timeline-body ${isOpen ? 'split' : ''}`}>
        <List />
        {isOpen && <Inspector />}
      </div>
    </section>
  )
}
