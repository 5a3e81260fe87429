import type { CustomerName, CustomerView } from '../../admin/api.ts'
import type { ConversationSummary } from '../../features/conversations/conversation-api.ts'
import { WINDOW_MS } from '../../service/endpoints.ts'
import { formatDateTime, formatSpan } from '../ui/text/time.ts'
import { Facts } from '../ui/components/body.tsx'
import { ActButton } from './ask-first.tsx'
import { List, NumberFilter } from './list.tsx'
import { Customer, Details, plural, When } from './parts.tsx'
import { linkTo } from './place.ts'
import { DeliveryRows, Rows, SendRows } from './rows.tsx'

export function Conversations({ filters }: { filters: URLSearchParams }) {
  return (
    <List<ConversationSummary>
      view="conversations"
      filters={filters}
      chips={<NumberFilter view="conversations" filters={filters} />}
      path="api/conversations"
      empty="No conversation is open."
    >
      {(rows) => (
        <Rows
          rows={rows}
          linkOf={({ handle }: CustomerName) => linkTo('customers', { id: handle })}
          render={(row) => <ConversationRow row={row} />}
        />
      )}
    </List>
  )
}

function ConversationRow({ row }: { row: ConversationSummary }) {
  return (
    <>
      <b class="event">{row.name}</b>
      <Customer customer={row.customer} number={row.number} />
      <span class="what">
        {plural(row.steps, 'step')}
        {row.waits && `, waits for ${row.waits.for === 'answer' ? 'an answer' : 'a time'}`}
      </span>
      <Due what={row.waits?.for === 'answer' ? 'timeout ' : ''} at={row.waits?.until} />
    </>
  )
}

function Due({ what = '', at }: { what?: string; at: string | undefined }) {
  if (at === undefined) return <span class="ago">–</span>
  const ms = Date.parse(at) - Date.now()
  return (
    <span class="ago" title={formatDateTime(at)}>
      {what}
      {ms <= 0 ? 'due' : `in ${formatSpan(ms)}`}
    </span>
  )
}

export function CustomerPage({ handle }: { handle: string }) {
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
          <Conversation value={value} />
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

function Conversation({ value: { conversation, timers } }: { value: CustomerView }) {
  if (!conversation && timers.length === 0) return null
  return (
    <section class="stack">
      <h3>Open</h3>
      {conversation && (
        <p class="line">
          <span>
            <b>{conversation.name}</b> since <When at={conversation.openedAt} />, {plural(conversation.steps, 'step')}
          </span>
          <ActButton
            label="End…"
            title={`End “${conversation.name}”?`}
            text="The customer’s next message starts from the beginning. Nothing is sent now."
            action="End it"
            isDangerous
            act={{ act: 'end_conversation', conversation: conversation.id }}
            done={() => 'The conversation is ended.'}
          />
        </p>
      )}
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
