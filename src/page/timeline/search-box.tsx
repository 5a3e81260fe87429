import { Icon } from '../../ui/components/icon.tsx'
import { query } from '../state/view.ts'
import { isRow } from './entries.ts'
import { entries, rows, terms } from './list-state.ts'
import { withoutTerm } from './search.ts'

/** The search box: it takes words and `key:value` terms. */
export function SearchBox() {
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
      {keyed.length > 0 && (
        <ul class="search-terms">
          {keyed.map((term) => (
            <li key={term.source} class={`chip ${term.problem === undefined ? 'info' : 'bad'}`}>
              {term.problem !== undefined && <span aria-hidden="true">!</span>}
              <span class="mono">{term.source}</span>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${term.source}`}
                onClick={() => (query.value = withoutTerm(query.peek(), term.source))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="search-problems" role="status">
        {keyed.map(({ problem }) => problem).join(' ')}
      </p>
    </header>
  )
}

function Count() {
  const all = rows.value.length
  const found = entries.value.filter(isRow).length
  return <span class="muted small count">{found === all ? `${all}` : `${found} of ${all}`}</span>
}
