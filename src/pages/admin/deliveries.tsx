import type { DeliverySummary, DeliveryView, ItemView } from '../../admin/api.ts'
import type { RetryFilter } from '../../admin/requests.ts'
import { Body, Facts } from '../ui/components/body.tsx'
import { ActButton, askToRetryAll } from './ask-first.tsx'
import { Chips, List, NumberFilter } from './list.tsx'
import { Customer, Details, plural, sentence, States, When } from './parts.tsx'
import { linkTo } from './address.ts'
import { health, mayRetry } from './server.ts'
import { DeliveryRows, SendRows } from './rows.tsx'

const STATES = [
  ['', 'All'],
  ['dead', 'Dead'],
  ['parked', 'Parked'],
  ['quarantined', 'Quarantined'],
  ['conflict', 'Conflict'],
  ['suspected_replay', 'Suspected replay'],
  ['retry', 'Retrying'],
  ['running', 'Running'],
  ['stored', 'Waiting'],
  ['ignored', 'Ignored'],
  ['rested', 'Rested'],
] as const
const EVENTS = [
  ['', 'All events'],
  ['message.received', 'Messages'],
] as const
const NEEDS_PERSON: readonly string[] = ['dead', 'parked', 'quarantined', 'conflict', 'suspected_replay', 'ignored']

export function Deliveries({ filters }: { filters: URLSearchParams }) {
  const resting: Readonly<Record<string, number>> = health.value?.resting ?? {}
  const options = STATES.map(([value, label]) => [value, label, resting[value] ?? 0] as const)
  const state = filters.get('state') ?? ''
  return (
    <List<DeliverySummary>
      view="deliveries"
      path="api/deliveries"
      filters={filters}
      chips={
        <>
          <Chips view="deliveries" filters={filters} name="state" label="State" options={options} />
          <Chips view="deliveries" filters={filters} name="event" label="Event" options={EVENTS} />
          <NumberFilter view="deliveries" filters={filters} />
        </>
      }
      actions={
        mayRetry.value &&
        NEEDS_PERSON.includes(state) && (
          <button type="button" onClick={() => void askToRetryAll(filterOf(filters))}>
            Retry all that match…
          </button>
        )
      }
      empty={state === '' ? 'No delivery arrived yet.' : 'No delivery is in this state.'}
    >
      {(rows) => <DeliveryRows rows={rows} />}
    </List>
  )
}

function filterOf(filters: URLSearchParams): RetryFilter {
  return {
    states: filters.getAll('state') as RetryFilter['states'],
    event: filters.get('event') ?? undefined,
    number: filters.get('number') ?? undefined,
  }
}

export function DeliveryPage({ id: seq }: { id: string }) {
  return (
    <Details<DeliveryView>
      path={`api/deliveries/${encodeURIComponent(seq)}`}
      title={`Delivery ${seq}`}
      actions={(value) =>
        value.retryable && (
          <ActButton
            title={`Retry delivery ${seq}?`}
            text="Its handlers run again, except those that succeeded. Their messages reach the customer."
            action="Retry"
            act={{ act: 'retry', deliveries: [value.seq] }}
            done={(count) => (count === 0 ? 'Nothing was requeued.' : 'The delivery is requeued.')}
          />
        )
      }
    >
      {(value) => <DeliveryDetails value={value} />}
    </Details>
  )
}

function DeliveryDetails({ value }: { value: DeliveryView }) {
  return (
    <>
      <section class="stack">
        <p>
          <States states={value.states} /> <span class="mono">{value.event ?? 'unknown event'}</span>
          {value.own && <span class="muted"> from the bot itself</span>}
        </p>
        {value.why.map((why) => (
          <p key={why} class="cause">
            {sentence(why)}
          </p>
        ))}
        <Facts
          of={[
            ['Arrived', <When key="at" at={value.receivedAt} />],
            ['Id', value.id && <span class="mono">{value.id}</span>],
            ['Note', value.note],
            ['Clock of the service', value.clockOffsetMs && `${value.clockOffsetMs} ms from ours`],
            [
              'Resembles',
              value.resembles && <a href={linkTo('deliveries', { id: value.resembles })}>{value.resembles}</a>,
            ],
          ]}
        />
      </section>
      {value.items.map((item) => (
        <Item key={item.idx} item={item} isOnly={value.items.length === 1} />
      ))}
      {value.sent.length > 0 && (
        <section class="stack">
          <h3>Sent</h3>
          <SendRows rows={value.sent} />
        </section>
      )}
      <section class="stack">
        <h3>Body</h3>
        {value.body === undefined ? (
          <p class="muted">Its bytes were pruned.</p>
        ) : (
          <Body text={JSON.stringify(value.body, null, 2)} />
        )}
      </section>
    </>
  )
}

function Item({ item, isOnly }: { item: ItemView; isOnly: boolean }) {
  const { failure } = item
  return (
    <section class="stack">
      <h3>
        {isOnly ? `Its ${item.kind === 'message' ? 'message' : 'event'}` : `Item ${item.idx + 1}`}{' '}
        <States states={{ [item.state]: 1 }} />
      </h3>
      <Facts
        of={[
          [
            'Customer',
            item.handle !== undefined && (
              <a href={linkTo('customers', { id: item.handle })}>
                <Customer customer={item.customer} number={item.number} />
              </a>
            ),
          ],
          ['Kind', item.kind],
          ['Attempts', item.attempts],
          ['Reason', item.reason],
          ['Waits behind', item.behind && plural(item.behind, 'earlier item')],
          ['Next attempt', item.retryAt && <When at={item.retryAt} />],
          ['Finished handlers', listed(item.finished)],
          ['Done once', listed(item.once)],
        ]}
      />
      {failure && (
        <div class="cause bad stack">
          <p>
            Attempt {failure.attempt} failed
            {failure.route !== undefined && (
              <>
                {' '}
                in <code>{failure.route}</code>
              </>
            )}
          </p>
          {failure.frames.length > 0 && <pre class="raw">{failure.frames.join('\n')}</pre>}
        </div>
      )}
      {item.facts !== undefined && (
        <details>
          <summary>Facts</summary>
          <Body text={JSON.stringify(item.facts, null, 2)} />
        </details>
      )}
    </section>
  )
}

function listed(names: number | readonly string[] | undefined): string | number | undefined {
  return typeof names === 'object' ? names.join(', ') : names || undefined
}
