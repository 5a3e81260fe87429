import type { DeliveryView, ItemView } from '../../admin/api.ts'
import { Body } from '../../ui/components/body.tsx'
import { askToRetry } from '../acts/retry.tsx'
import { versions } from '../state/live.ts'
import { linkTo } from '../state/place.ts'
import { useShown } from '../state/shown.ts'
import { mayAct } from '../state/visitor.ts'
import { Details, Facts } from '../parts/details.tsx'
import { Reveal } from '../parts/reveal.tsx'
import { SendRows } from '../parts/rows.tsx'
import { Customer, plural, sentence, States, When } from '../parts/words.tsx'

/** A delivery with all that came of it: its items, their attempts, and what was sent. */
export function DeliveryPage({ seq }: { seq: string }) {
  const path = `api/deliveries/${encodeURIComponent(seq)}`
  const { deliveries, sends } = versions.value
  const shown = useShown<DeliveryView>(path, deliveries + sends)
  return (
    <Details
      shown={shown}
      title={`Delivery ${seq}`}
      back={[linkTo('deliveries'), 'Deliveries']}
      actions={(value) => (
        <>
          <Reveal path={path} />
          {mayAct.value && value.retryable && (
            <button type="button" class="primary" data-does="retry" onClick={() => askToRetry(value.seq)}>
              Retry…
            </button>
          )}
        </>
      )}
    >
      {(value) => <Parts value={value} />}
    </Details>
  )
}

function Parts({ value }: { value: DeliveryView }) {
  return (
    <>
      <section>
        <p class="lead">
          <States states={value.states} /> <span class="mono">{value.event ?? 'unknown event'}</span>
          {value.own && <span class="muted"> told by the bot itself</span>}
        </p>
        {value.why.map((why) => (
          <p key={why} class="cause">
            {sentence(why)}
          </p>
        ))}
        <Facts
          of={[
            ['Came', <When key="at" at={value.receivedAt} />],
            ['Id', value.id && <span class="mono">{value.id}</span>],
            ['Subscription', <span class="mono">{value.subscription}</span>],
            ['Note', value.note],
            ['Repeated', value.repeats > 0 && plural(value.repeats, 'time')],
            ['Clock of the service', value.clockOffsetMs && `${value.clockOffsetMs} ms from ours`],
            [
              'Resembles',
              value.resembles && <a href={linkTo('deliveries', { id: value.resembles })}>{value.resembles}</a>,
            ],
            ['Digest', value.sha256 && <span class="mono">{value.sha256.slice(0, 16)}…</span>],
          ]}
        />
      </section>
      {value.items.map((item) => (
        <Item key={item.idx} item={item} one={value.items.length === 1} />
      ))}
      {value.sent.length > 0 && (
        <section>
          <h3>Sent</h3>
          <SendRows rows={value.sent} />
        </section>
      )}
      <section>
        <h3>Body</h3>
        {value.body === undefined ? (
          <p class="muted">Its bytes are gone: they are kept for a while only.</p>
        ) : (
          <Body text={JSON.stringify(value.body, null, 2)} />
        )}
      </section>
    </>
  )
}

function Item({ item, one }: { item: ItemView; one: boolean }) {
  const { failure } = item
  return (
    <section>
      <h3>
        {one ? 'Its message' : `Item ${item.idx + 1}`} <States states={{ [item.state]: 1 }} />
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
          ['Tried again', item.retryAt && <When at={item.retryAt} />],
          ['Ended', item.settledAt && <When at={item.settledAt} />],
          ['Finished handlers', listed(item.finished)],
          ['Done once', listed(item.once)],
        ]}
      />
      {failure && (
        <div class="failure">
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
          <summary>What was read of it</summary>
          <Body text={JSON.stringify(item.facts, null, 2)} />
        </details>
      )}
    </section>
  )
}

function listed(names: number | readonly string[] | undefined): string | number | undefined {
  return typeof names === 'object' ? names.join(', ') : names || undefined
}
