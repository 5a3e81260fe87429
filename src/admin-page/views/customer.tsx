import type { CustomerView, DeliverySummary, SendSummary } from '../../admin/api.ts'
import { ActButton } from '../acts/ask-first.tsx'
import { formatSpan } from '../../ui/text/time.ts'
import { versions } from '../state/live.ts'
import { linkTo } from '../state/place.ts'
import { useShown } from '../state/shown.ts'
import { mayAct } from '../state/visitor.ts'
import { askToEnd, Due } from './conversations.tsx'
import { Details, Facts } from '../parts/details.tsx'
import { Reveal } from '../parts/reveal.tsx'
import { DeliveryRows, SendRows } from '../parts/rows.tsx'
import { plural, When } from '../parts/words.tsx'

const WINDOW_MS = 24 * 60 * 60 * 1_000

/** One customer on one number: what was said, what waits, and who answers. */
export function CustomerPage({ handle }: { handle: string }) {
  const path = `api/customers/${encodeURIComponent(handle)}`
  const { deliveries, sends, conversations, acts } = versions.value
  const shown = useShown<CustomerView>(path, deliveries + sends + conversations + acts)
  return (
    <Details
      shown={shown}
      title="Customer"
      back={[linkTo('deliveries'), 'Deliveries']}
      actions={(value) => (
        <>
          <Reveal path={path} />
          <WhoAnswers value={value} />
        </>
      )}
    >
      {(value) => (
        <>
          <section>
            <p class="lead">
              <span class="mono">{value.customer}</span>
              {value.number !== 'default' && <span class="muted"> on {value.number}</span>}
            </p>
            {value.mute && (
              <p class="cause">
                The bot is silent for this customer ({value.mute.why.replaceAll('_', ' ')})
                {value.mute.until !== undefined && (
                  <>
                    {' '}
                    until <When at={value.mute.until} />
                  </>
                )}
                .
              </p>
            )}
            <Facts
              of={[
                ['Last wrote', <When key="in" at={value.lastInboundAt} />],
                ['Window', windowText(value.lastInboundAt)],
                ['Last sent', <When key="out" at={value.lastSentAt} />],
                ['Session', value.hasSession && 'kept'],
              ]}
            />
          </section>
          <Conversation value={value} />
          <Thread value={value} />
          <Latest handle={value.handle} />
        </>
      )}
    </Details>
  )
}

function windowText(lastInboundAt: string | undefined): string {
  if (lastInboundAt === undefined) return 'closed: only a template gets through'
  const left = Date.parse(lastInboundAt) + WINDOW_MS - Date.now()
  return left <= 0 ? 'closed: only a template gets through' : `open for ${formatSpan(left)} more`
}

function WhoAnswers({ value: { mute, handle } }: { value: CustomerView }) {
  if (mute)
    return (
      <ActButton
        label="Give back to the bot…"
        title="Give the customer back to the bot?"
        text="The bot answers the next message again."
        action="Give back"
        act={{ act: 'hand_back', customer: handle }}
        done={() => 'The bot answers again.'}
      />
    )
  return (
    <ActButton
      title="Take the customer over?"
      text="The bot is silent for this customer for 24 hours, or until you give them back. Messages are kept."
      action="Take over"
      act={{ act: 'hand_over', customer: handle }}
      done={() => 'The bot is silent for this customer.'}
    />
  )
}

function Conversation({ value: { conversation, timers } }: { value: CustomerView }) {
  if (!conversation && timers.length === 0) return null
  return (
    <section>
      <h3>Under way</h3>
      {conversation && (
        <p class="with-button">
          <b>{conversation.name}</b> since <When at={conversation.openedAt} />, {plural(conversation.steps, 'step')}
          {mayAct.value && (
            <button type="button" onClick={() => askToEnd(conversation)}>
              End…
            </button>
          )}
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

function Thread({ value: { thread } }: { value: CustomerView }) {
  return (
    <section>
      <h3>What was said</h3>
      {thread.length === 0 && <p class="muted">Nothing that is kept.</p>}
      <ol class="thread">
        {thread.map(({ by, at, kind, text }, index) => (
          <li key={index} class={by}>
            <span class="muted">
              {by === 'customer' ? 'Customer' : 'Bot'}, <When at={at} />
            </span>
            <p>{text ?? <span class="muted">[{kind}]</span>}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The deliveries and sends of the customer, the newest first. */
function Latest({ handle }: { handle: string }) {
  const query = `customer=${encodeURIComponent(handle)}&limit=20`
  const deliveries = useShown<{ rows: readonly DeliverySummary[] }>(
    `api/deliveries?${query}`,
    versions.value.deliveries,
  )
  const sends = useShown<{ rows: readonly SendSummary[] }>(`api/sends?${query}`, versions.value.sends)
  return (
    <section>
      <h3>Deliveries</h3>
      <DeliveryRows rows={deliveries.value.value?.rows ?? []} />
      <h3>Sends</h3>
      <SendRows rows={sends.value.value?.rows ?? []} />
    </section>
  )
}
