import type { ComponentChildren } from 'preact'
import type { DeliverySummary, SendSummary } from '../../admin/api.ts'
import { formatSpan } from '../ui/text/time.ts'
import { Customer, State, States } from './parts.tsx'
import { linkTo } from './address.ts'

interface RowsProps<Row> {
  readonly rows: readonly Row[]
  readonly linkOf?: (row: Row) => string | undefined
  readonly render: (row: Row) => ComponentChildren
}

export function Rows<Row>({ rows, linkOf, render }: RowsProps<Row>) {
  return (
    <ul class="card lines">
      {rows.map((row, index) => {
        const link = linkOf?.(row)
        return (
          <li key={index}>
            {link === undefined ? (
              <div class="row">{render(row)}</div>
            ) : (
              <a class="row" href={link}>
                {render(row)}
              </a>
            )}
          </li>
        )
      })}
    </ul>
  )
}

export function SendRows({ rows }: { rows: readonly SendSummary[] }) {
  return <Rows rows={rows} linkOf={({ id }) => linkTo('sends', { id })} render={(row) => <SendRow row={row} />} />
}

function SendRow({ row }: { row: SendSummary }) {
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
        {row.template !== undefined && <code>{row.template} </code>}
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

export function DeliveryRows({ rows }: { rows: readonly DeliverySummary[] }) {
  const linkOf = ({ seq }: DeliverySummary) => linkTo('deliveries', { id: seq })
  return <Rows rows={rows} linkOf={linkOf} render={(row) => <DeliveryRow row={row} />} />
}

function DeliveryRow({ row }: { row: DeliverySummary }) {
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

function Ago({ seconds }: { seconds: number }) {
  return <span class="ago">{seconds < 5 ? 'now' : `${formatSpan(seconds * 1_000)} ago`}</span>
}
