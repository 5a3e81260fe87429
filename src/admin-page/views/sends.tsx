import type { SendSummary } from '../../admin/api.ts'
import { Chips, NumberFilter } from '../list/chips.tsx'
import { List } from '../list/list.tsx'
import { usePages } from '../list/pages.ts'
import { health, versions } from '../state/live.ts'
import { linkTo } from '../state/place.ts'
import { visitor } from '../state/visitor.ts'
import { Reveal } from '../parts/reveal.tsx'
import { SendRow } from '../parts/rows.tsx'

const STATES = [
  ['', 'All'],
  ['unknown', 'Unknown'],
  ['held', 'Held'],
  ['refused', 'Refused'],
  ['ready', 'Waiting'],
  ['attempting', 'Attempting'],
  ['scheduled', 'Scheduled'],
  ['accepted', 'Accepted'],
  ['cancelled', 'Cancelled'],
] as const

export function Sends({ filters }: { filters: URLSearchParams }) {
  const query = filters.toString()
  const path = `api/sends${query === '' ? '' : `?${query}`}`
  const pages = usePages<SendSummary>(path, versions.value.sends)
  const counts: Readonly<Record<string, number>> = { ...health.value?.sends }
  const state = filters.get('state') ?? ''
  return (
    <div class="page list-page">
      <div class="page-head">
        <h2>Sends</h2>
        <Chips
          view="sends"
          filters={filters}
          name="state"
          label="State"
          options={STATES.map(([value, label]) => [value, label, counts[value] ?? 0])}
        />
        <NumberFilter view="sends" filters={filters} numbers={visitor.value?.numbers ?? []} />
        <span class="fill" />
        <Reveal path={path} />
      </div>
      <List
        label="Sends"
        pages={pages}
        keyOf={({ id }) => id}
        linkOf={({ id }) => linkTo('sends', { id })}
        render={(row) => <SendRow row={row} />}
        empty={state === '' ? 'Nothing was sent yet.' : 'No send is in this state.'}
      />
    </div>
  )
}
