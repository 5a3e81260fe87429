import type { CustomerView } from '../../admin/api.ts'
import { WINDOW_MS } from '../../service/endpoints.ts'
import { formatSpan } from '../ui/text/time.ts'
import { Facts } from '../ui/components/body.tsx'
import { FEATURES } from './features.tsx'
import { Details, Due, When } from './parts.tsx'
import { DeliveryRows, SendRows } from './rows.tsx'

export function CustomerPage({ id: handle }: { id: string }) {
  return (
    <Details<CustomerView> path={`api/customers/${encodeURIComponent(handle)}`} title="Customer">
      {(value) => (
        <>
          <section class="stack">
            <p>
              <span class="mono">{value.customer}</span>
              {value.name !== undefined && (
                <>
                  {' '}
                  <bdi>{value.name}</bdi>
                </>
              )}
              {value.number !== 'default' && <span class="muted"> on {value.number}</span>}
            </p>
            {value.takenOver && (
              <p class="cause">
                {value.takenOver.by === 'person' ? 'A person' : 'The service’s agent'} has this customer, and the bot
                rests
                {value.takenOver.until !== undefined && (
                  <>
                    {' '}
                    until <When at={value.takenOver.until} />
                  </>
                )}
                .
              </p>
            )}
            <Facts
              of={[
                ['Last wrote', <When key="in" at={value.lastInboundAt} />],
                ['Window', windowText(value)],
                ['Last sent', <When key="out" at={value.lastSentAt} />],
                ['Session', value.hasSession && 'kept'],
                [
                  'Marketing',
                  value.optedOut && (
                    <>
                      opted out <When at={value.optedOut.at} /> ({value.optedOut.how})
                    </>
                  ),
                ],
              ]}
            />
          </section>
          <Open value={value} />
          <Thread value={value} />
          <section class="stack">
            <h3>Deliveries</h3>
            <DeliveryRows rows={value.deliveries} />
            <h3>Sends</h3>
            <SendRows rows={value.sends} />
          </section>
        </>
      )}
    </Details>
  )
}

function windowText({ lastInboundAt }: CustomerView): string {
  const left = lastInboundAt === undefined ? 0 : Date.parse(lastInboundAt) + WINDOW_MS - Date.now()
  return left <= 0 ? 'closed: only templates can be sent' : `open for ${formatSpan(left)} more`
}

function Open({ value }: { value: CustomerView }) {
  const { timers } = value
  const ofFeatures = Object.values(FEATURES).flatMap(({ openWith }) => openWith?.(value) ?? [])
  if (ofFeatures.length + timers.length === 0) return null
  return (
    <section class="stack">
      <h3>Open</h3>
      {ofFeatures}
      {timers.map(({ kind, dueAt }) => (
        <p key={`${kind}/${dueAt}`}>
          {kind.replaceAll('_', ' ')} <Due at={dueAt} />
        </p>
      ))}
    </section>
  )
}

const BY = { customer: 'Customer', bot: 'Bot', person: 'Person', agent: 'Agent' } as const

function Thread({ value: { thread } }: { value: CustomerView }) {
  return (
    <section class="stack">
      <h3>Messages</h3>
      {thread.length === 0 && <p class="muted">No messages.</p>}
      <ol class="thread stack">
        {thread.map(({ by, at, kind, text }, index) => (
          <li key={index} class={`bubble ${by}`}>
            <span class="muted small">
              {BY[by]}, <When at={at} />
            </span>
            <p>{text ?? <span class="muted">[{kind}]</span>}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
