import type { SendSummary } from '../../admin/api.ts'
import { formatSpan } from '../../ui/text/time.ts'
import { Ago, Customer, State } from './words.tsx'

/** A send in a list. */
export function SendRow({ row }: { row: SendSummary }) {
  const dueIn = row.dueAt === undefined ? undefined : Date.parse(row.dueAt) - Date.now()
  return (
    <>
      <span class="states">
        <State name={row.state} />
      </span>
      <span class="event mono">{row.via}</span>
      <Customer customer={row.customer} number={row.number} />
      <span class="what">
        {row.code !== undefined && <code>{row.code} </code>}
        {row.possiblyTwice && 'possibly twice '}
        {row.ref !== undefined && <span class="muted">{row.ref}</span>}
      </span>
      {row.state === 'scheduled' && dueIn !== undefined && dueIn > 0 ? (
        <span class="ago">in {formatSpan(dueIn)}</span>
      ) : (
        <Ago seconds={row.ageSeconds} />
      )}
    </>
  )
}
