import type { DeliverySummary, SendSummary } from '../../admin/api.ts'
import { formatSpan } from '../../ui/text/time.ts'
import { linkTo } from '../state/place.ts'
import { Ago, Customer, State, States } from './words.tsx'

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

/** A short list of sends, each of which leads to its page. */
export function SendRows({ rows }: { rows: readonly SendSummary[] }) {
  return (
    <ul class="plain-rows">
      {rows.map((row) => (
        <li key={row.id}>
          <a class="row" href={linkTo('sends', { id: row.id })}>
            <SendRow row={row} />
          </a>
        </li>
      ))}
    </ul>
  )
}

/** A short list of deliveries, each of which leads to its page. */
export function DeliveryRows({ rows }: { rows: readonly DeliverySummary[] }) {
  return (
    <ul class="plain-rows">
      {rows.map((row) => (
        <li key={row.seq}>
          <a class="row" href={linkTo('deliveries', { id: row.seq })}>
            <span class="seq mono">{row.seq}</span>
            <States states={row.states} />
            <span class="event mono">{row.event ?? 'unknown'}</span>
            <span class="what">{row.items.find(({ reason }) => reason !== undefined)?.reason ?? ''}</span>
            <Ago seconds={row.ageSeconds} />
          </a>
        </li>
      ))}
    </ul>
  )
}
