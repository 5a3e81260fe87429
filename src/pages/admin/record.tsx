import type { ActRecord } from '../../admin/api.ts'
import { List } from './list.tsx'
import { When } from './parts.tsx'
import { Rows } from './rows.tsx'

export function RecordOfActs({ filters }: { filters: URLSearchParams }) {
  return (
    <List<ActRecord> view="acts" path="api/acts" filters={filters} isPlain empty="No actions yet.">
      {(rows) => <Rows rows={rows} render={(row) => <Act row={row} />} />}
    </List>
  )
}

function Act({ row }: { row: ActRecord }) {
  return (
    <>
      <b class="event">{row.who}</b>
      <span>{row.act.replaceAll('_', ' ')}</span>
      <span class="what">{row.what}</span>
      <span class="customer muted">{countText(row)}</span>
      <span class="ago">
        <When at={row.at} />
      </span>
    </>
  )
}

function countText({ act, count }: ActRecord): string {
  if (count === undefined) return 'outcome unknown'
  if (act === 'search') return count === 0 ? 'not found' : ''
  return count === 1 ? '' : `${count} changed`
}
