import { counted } from '../parts/words.tsx'
import { goTo } from '../state/address.ts'
import { linkTo, type View } from '../state/place.ts'

interface ChipsProps {
  readonly view: View
  readonly filters: URLSearchParams
  /** The filter that the chips set, and what each sets. The first one takes the filter away. */
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, label: string, count?: number])[]
}

/** One filter of a list, whose values are few. */
export function Chips({ view, filters, name, label, options }: ChipsProps) {
  const chosen = filters.get(name) ?? ''
  return (
    <div class="chips" role="group" aria-label={label}>
      {options.map(([value, text, count]) => (
        <a
          key={value}
          class={`chip ${value === chosen ? 'chosen' : ''}`}
          aria-current={value === chosen ? 'true' : undefined}
          href={linkTo(view, { filters: withFilter(filters, name, value) })}
        >
          {text}
          {count !== undefined && count > 0 && <b>{counted(count)}</b>}
        </a>
      ))}
    </div>
  )
}

/** Chooses a number, if the bot has several. */
export function NumberFilter({
  view,
  filters,
  numbers,
}: Pick<ChipsProps, 'view' | 'filters'> & { numbers: readonly string[] }) {
  if (numbers.length < 2) return null
  return (
    <label class="number-filter">
      <span class="visually-hidden">Number</span>
      <select
        value={filters.get('number') ?? ''}
        onChange={({ currentTarget }) =>
          goTo(linkTo(view, { filters: withFilter(filters, 'number', currentTarget.value) }))
        }
      >
        <option value="">All numbers</option>
        {numbers.map((number) => (
          <option key={number}>{number}</option>
        ))}
      </select>
    </label>
  )
}

function withFilter(filters: URLSearchParams, name: string, value: string): Record<string, string> {
  const next = { ...Object.fromEntries(filters), [name]: value }
  if (value === '') delete next[name]
  return next
}
