import { useComputed } from '@preact/signals'
import { openRowId } from '../state/view.ts'
import { FirstHint } from './first-hint.tsx'
import { Inspector } from './inspector/inspector.tsx'
import { List } from './list.tsx'
import { SearchHead } from './search-head.tsx'
import './linked-delivery.ts'
import './shortcuts.ts'

/** The timeline pane: turns, calls, deliveries and changes in one list, with the details of the open row. */
export function Timeline() {
  const isOpen = useComputed(() => openRowId.value !== '').value
  return (
    <section class="pane timeline" aria-label="Timeline">
      <SearchHead />
      <div class={`timeline-body ${isOpen ? 'split' : ''}`}>
        <List />
        {isOpen && <Inspector />}
      </div>
      <FirstHint />
    </section>
  )
}
