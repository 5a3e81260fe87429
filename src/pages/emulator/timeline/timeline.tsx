import { useComputed } from '@preact/signals'
import { chips, openRowId, query } from '../state/view.ts'
import { CHIPS, type ChipName, toggleChip } from './filter.ts'
import { Inspector } from './inspector.tsx'
import { List } from './list.tsx'
import { chipsOn, matchingRows, rows } from './state.ts'

export function Timeline() {
  const isOpen = useComputed(() => openRowId.value !== '').value
  return (
    <section class="pane timeline" aria-label="Timeline">
      <header class="pane-head search-head">
        <h2>Timeline</h2>
        <SearchField />
        <Count />
        <Chips />
      </header>
      <div class={`timeline-body ${isOpen ? 'split' : ''}`}>
        <List />
        {isOpen && <Inspector />}
      </div>
    </section>
  )
}

function SearchField() {
  return (
    <input
      type="search"
      aria-label="Search the timeline"
      placeholder="Search: words, digits, ids, codes"
      title="Each word must be in the row (/)"
      autocomplete="off"
      spellcheck={false}
      value={query}
      onInput={(event) => (query.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        if (query.peek() === '') event.currentTarget.blur()
        query.value = ''
      }}
    />
  )
}

function Chips() {
  return (
    <div class="filters" role="group" aria-label="Filters">
      {(Object.keys(CHIPS) as ChipName[]).map((name) => (
        <button
          type="button"
          key={name}
          class="chip"
          aria-pressed={chipsOn.value.includes(name)}
          onClick={() => (chips.value = toggleChip(chipsOn.peek(), name))}
        >
          {CHIPS[name].label}
        </button>
      ))}
    </div>
  )
}

function Count() {
  const all = rows.value.length
  const found = matchingRows.value.length
  return <span class="muted small count">{found === all ? `${all}` : `${found} of ${all}`}</span>
}
