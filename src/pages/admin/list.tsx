import type { ComponentChildren } from 'preact'
import type { Page } from '../../admin/requests.ts'
import { counted } from './parts.tsx'
import { linkTo, TITLES, type View } from './address.ts'
import { visitor } from './server.ts'
import { NoAnswer, Reveal, useShown } from './shown.tsx'

interface ListProps<Row> {
  readonly view: View
  readonly path: string
  readonly filters: URLSearchParams
  readonly chips?: ComponentChildren
  readonly actions?: ComponentChildren
  /** True if the list contains no number, name or text of a customer: then there is nothing to reveal. */
  readonly isPlain?: boolean
  readonly empty: string
  readonly children: (rows: readonly Row[]) => ComponentChildren
}

/** One page of a list. The address says where it begins, so that the browser's Back leads to the previous page. */
export function List<Row>({ view, path, filters, chips, actions, isPlain, empty, children }: ListProps<Row>) {
  const query = filters.toString()
  const asked = query === '' ? path : `${path}?${query}`
  const { value, problem } = useShown<Page<Row>>(asked)
  const next = value?.next
  return (
    <div class="list-page">
      <div class="page-head line">
        <h2>{TITLES[view]}</h2>
        {chips}
        <span class="fill" />
        {value !== undefined && value.rows.length > 0 && actions}
        {!isPlain && <Reveal path={asked} />}
      </div>
      <div class="scroll list" key={asked} tabIndex={0}>
        {value === undefined && <NoAnswer problem={problem} />}
        {value?.rows.length === 0 && (
          <p class="empty">{next === undefined ? empty : 'No match so far. Older rows may match.'}</p>
        )}
        {value && children(value.rows)}
        <Pages view={view} filters={filters} next={next} />
      </div>
    </div>
  )
}

interface ListAddress {
  readonly view: View
  readonly id?: string | undefined
  readonly filters: URLSearchParams
}

export function Pages({ view, id, filters, next }: ListAddress & { readonly next: string | undefined }) {
  const to = (after: string) => linkWith({ view, id, filters }, 'after', after)
  return (
    <p class="pages line">
      {filters.has('after') && <a href={to('')}>← First page</a>}
      {next !== undefined && <a href={to(next)}>Next page →</a>}
    </p>
  )
}

function linkWith({ view, id, filters }: ListAddress, name: string, value: string) {
  return linkTo(view, { ...(id !== undefined && { id }), filters: withFilter(filters, name, value) })
}

interface ChipsProps extends ListAddress {
  readonly name: string
  readonly label: string
  /** An empty value removes the filter. */
  readonly options: readonly (readonly [value: string, label: string, count?: number])[]
}

export function Chips({ view, id, filters, name, label, options }: ChipsProps) {
  const chosen = filters.get(name) ?? ''
  return (
    <div class="chips line" role="group" aria-label={label}>
      {options.map(([value, text, count = 0]) => (
        <a
          key={value}
          class="chip"
          aria-current={value === chosen ? 'true' : undefined}
          href={linkWith({ view, id, filters }, name, value)}
        >
          {text}
          {count > 0 && <b>{counted(count)}</b>}
        </a>
      ))}
    </div>
  )
}

export function NumberFilter({ view, filters }: Pick<ChipsProps, 'view' | 'filters'>) {
  const { numbers = [], everyNumber } = visitor.value ?? {}
  if (numbers.length < 2) return null
  const choose = (number: string) => (location.hash = linkTo(view, { filters: withFilter(filters, 'number', number) }))
  return (
    <select
      aria-label="Number"
      value={filters.get('number') ?? (everyNumber ? '' : numbers[0])}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {everyNumber && <option value="">All numbers</option>}
      {numbers.map((number) => (
        <option key={number}>{number}</option>
      ))}
    </select>
  )
}

/** Changes a filter. The list then starts at its first page. */
function withFilter(filters: URLSearchParams, name: string, value: string): Record<string, string> {
  const { after: _, ...others } = Object.fromEntries(filters)
  const next = { ...others, [name]: value }
  if (value === '') delete next[name]
  return next
}
