import { withKeyHint } from '../../ui/keyboard/registry.ts'
import { Icon } from '../../ui/components/icon.tsx'
import { isRowByRow, query } from '../state/view.ts'
import { filters, isOn, toggleFilter, toggleRowByRow } from './filters.ts'
import { entries, rows, terms } from './list-state.ts'
import { withoutTerm } from './search.ts'

/** The head of the timeline: the search box, which takes words and `key:value` terms, and the filters beside it. */
export function SearchHead() {
  const keyed = terms.value.filter(({ key }) => key !== undefined)
  return (
    <header class="pane-head search-head">
      <h2>Timeline</h2>
      <input
        type="search"
        aria-label="Search the timeline"
        aria-describedby="search-help"
        placeholder="Search, or kind: status: to: id: code:"
        title="Words, and kind:message.status status:>=400 to:2557 id:msg_1 code:rate_limited; - before one turns it round (/)"
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
      <Count />
      <span id="search-help" class="visually-hidden">
        Words, and kind, status, to, id or code, each with a colon and its value. A minus before one turns it round.
      </span>
      <Filters />
      <p class="search-problems wrong" role="status">
        {keyed.map(({ problem }) => problem).join(' ')}
      </p>
    </header>
  )
}

/** The filters, each of which is a term of the search, and the other terms that were typed. */
function Filters() {
  const all = filters.value
  const typed = terms.value.filter(({ key, source }) => key !== undefined && all.every(({ term }) => term !== source))
  return (
    <div class="filters" role="group" aria-label="Filters">
      {all.map((filter) => (
        <button
          type="button"
          key={filter.label}
          class="chip"
          aria-pressed={isOn(filter)}
          title={filter.term}
          onClick={() => toggleFilter(filter)}
        >
          {filter.label}
        </button>
      ))}
      {typed.map((term) => (
        <span key={term.source} class={`chip term ${term.problem === undefined ? 'info' : 'bad'}`}>
          {term.problem !== undefined && <span aria-hidden="true">!</span>}
          <span class="mono">{term.source}</span>
          <button
            type="button"
            class="quiet icon-button"
            aria-label={`Remove ${term.source}`}
            onClick={() => (query.value = withoutTerm(query.peek(), term.source))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <button
        type="button"
        class="chip row-by-row"
        aria-pressed={isRowByRow.value}
        title={withKeyHint('No turn is folded: all rows in the order in which they happened', 'v')}
        onClick={toggleRowByRow}
      >
        Row by row
      </button>
    </div>
  )
}

function Count() {
  const all = rows.value.length
  const found = entries.value.reduce((sum, entry) => sum + countRows(entry), 0)
  return <span class="muted small count">{found === all ? `${all}` : `${found} of ${all}`}</span>
}

function countRows(entry: (typeof entries.value)[number]): number {
  if (entry.kind === 'turn') return entry.turn.rows.length
  return entry.kind === 'row' && !entry.isInTurn ? 1 : 0
}
