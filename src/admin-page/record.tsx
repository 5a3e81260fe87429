import type { ActRecord } from '../admin/api.ts'
import { List, usePages } from './list.tsx'
import { When } from './parts.tsx'

const NAMES: Readonly<Record<ActRecord['act'], string>> = {
  retry: 'retried',
  resolve: 'resolved',
  resume: 'resumed',
  cancel: 'cancelled',
  hand_over: 'took over',
  hand_back: 'gave back',
  end_conversation: 'ended',
  reveal: 'revealed',
  search: 'looked for',
}

export function RecordOfActs() {
  const pages = usePages<ActRecord>('api/acts')
  return (
    <div class="page list-page">
      <div class="page-head">
        <h2>Record</h2>
        <span class="muted">what people did here, the newest first</span>
      </div>
      <List
        label="Record"
        pages={pages}
        keyOf={({ seq }) => seq}
        render={(row) => (
          <>
            <b class="event">{row.who}</b>
            <span class="states">{NAMES[row.act]}</span>
            <span class="what">{row.what}</span>
            <span class="customer muted">{countText(row)}</span>
            <span class="ago">
              <When at={row.at} />
            </span>
          </>
        )}
        empty="Nobody did anything here yet."
      />
    </div>
  )
}

function countText({ act, count }: ActRecord): string {
  if (count === undefined) return 'end not known'
  if (act === 'search') return count === 0 ? 'not found' : ''
  return count === 1 ? '' : `${count} changed`
}
