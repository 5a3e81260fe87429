import type { DeliverySummary, RetryFilter } from '../../admin/api.ts'
import { askToRetryAll } from '../acts/retry.tsx'
import { Chips, NumberFilter } from '../list/chips.tsx'
import { List } from '../list/list.tsx'
import { usePages } from '../list/pages.ts'
import { health, versions } from '../state/live.ts'
import { linkTo } from '../state/place.ts'
import { mayAct, visitor } from '../state/visitor.ts'
import { Reveal } from '../parts/reveal.tsx'
import { Ago, Customer, States } from '../parts/words.tsx'

/** States that a person asks for; `retry` waits by itself. */
const STATES = [
  ['', 'All'],
  ['dead', 'Dead'],
  ['parked', 'Parked'],
  ['quarantined', 'Quarantined'],
  ['conflict', 'Conflict'],
  ['suspected_replay', 'Suspected replay'],
  ['retry', 'Tried again'],
  ['running', 'Running'],
  ['stored', 'Waiting'],
  ['ignored', 'Ignored'],
] as const
const EVENTS = [
  ['', 'All events'],
  ['message.received', 'Messages'],
] as const
const AT_REST: readonly string[] = ['dead', 'parked', 'quarantined', 'conflict', 'suspected_replay', 'ignored']

export function Deliveries({ filters }: { filters: URLSearchParams }) {
  const query = filters.toString()
  const path = `api/deliveries${query === '' ? '' : `?${query}`}`
  const pages = usePages<DeliverySummary>(path, versions.value.deliveries)
  const resting: Readonly<Record<string, number>> = health.value?.resting ?? {}
  const state = filters.get('state') ?? ''
  return (
    <div class="page list-page">
      <div class="page-head">
        <h2>Deliveries</h2>
        <Chips
          view="deliveries"
          filters={filters}
          name="state"
          label="State"
          options={STATES.map(([value, label]) => [value, label, resting[value] ?? 0])}
        />
        <Chips view="deliveries" filters={filters} name="event" label="Event" options={EVENTS} />
        <NumberFilter view="deliveries" filters={filters} numbers={visitor.value?.numbers ?? []} />
        <span class="fill" />
        {mayAct.value && AT_REST.includes(state) && pages.read.value.rows.length > 0 && (
          <button type="button" data-does="retry" onClick={() => void askToRetryAll(filterOf(filters))}>
            Retry all that match…
          </button>
        )}
        <Reveal path={path} />
      </div>
      <List
        label="Deliveries"
        pages={pages}
        keyOf={({ seq }) => seq}
        linkOf={({ seq }) => linkTo('deliveries', { id: seq })}
        render={(row) => <Row row={row} />}
        empty={state === '' ? 'No delivery came yet.' : 'No delivery is in this state.'}
      />
    </div>
  )
}

function filterOf(filters: URLSearchParams): RetryFilter {
  const [event, number, customer, from] = ['event', 'number', 'customer', 'from'].map(
    (name) => filters.get(name) ?? undefined,
  )
  return {
    states: filters.getAll('state'),
    event,
    number,
    customer,
    ...(from !== undefined && { from: Number(from) }),
  }
}

function Row({ row }: { row: DeliverySummary }) {
  const [item] = row.items
  const reason = row.items.find((one) => one.reason !== undefined)?.reason ?? row.note
  return (
    <>
      <span class="seq mono">{row.seq}</span>
      <States states={row.states} />
      <span class="event mono">{row.event ?? 'unknown'}</span>
      <Customer customer={item?.customer} number={item?.number} />
      <span class="what">{reason ?? ''}</span>
      <Ago seconds={row.ageSeconds} />
    </>
  )
}
