import type { Preview, RetryFilter } from '../../admin/api.ts'
import { notice } from '../../ui/components/messages.ts'
import { post } from '../wire/ask.ts'
import { When, plural, States } from '../parts/words.tsx'
import { askFirst } from './ask-first.tsx'

export function askToRetry(seq: number): void {
  askFirst({
    title: `Retry delivery ${seq}?`,
    text: 'Its handlers run again, those that ended well excepted. What they send reaches the customer.',
    action: 'Retry',
    act: { act: 'retry', deliveries: [seq] },
    done: (count) => (count === 0 ? 'Nothing was put back.' : 'The delivery is put back.'),
  })
}

/** Shows how many deliveries a filter means and which, and asks whether just these are put back. */
export async function askToRetryAll(filter: RetryFilter): Promise<void> {
  try {
    const preview = await post<Preview>('api/preview', { filter })
    if (preview.deliveries === 0) notice.value = 'Nothing matches any more.'
    else
      askFirst({
        title: `Retry ${plural(preview.deliveries, 'delivery', 'deliveries')}?`,
        text: <Meant preview={preview} />,
        action: `Retry ${preview.deliveries.toLocaleString('en')}`,
        act: { act: 'retry', filter, token: preview.token },
        done: (count) => `${plural(count, 'item')} put back.`,
      })
  } catch (error) {
    notice.value = error instanceof Error ? error.message : String(error)
  }
}

function Meant({ preview }: { preview: Preview }) {
  const { deliveries, customers, states, events, oldest, newest, more } = preview
  return (
    <>
      <p>
        {plural(deliveries, 'delivery', 'deliveries')} of {plural(customers, 'customer')}. Their handlers run again,
        those that ended well excepted. What they send reaches the customers.
      </p>
      <dl class="facts">
        <dt>States</dt>
        <dd>
          <States states={states} />
        </dd>
        <dt>Events</dt>
        <dd>
          {Object.entries(events).map(([event, count]) => (
            <div key={event}>
              <span class="mono">{event}</span> × {count}
            </div>
          ))}
        </dd>
        <dt>Came</dt>
        <dd>
          <When at={oldest} />
          {newest !== oldest && (
            <>
              {' '}
              to <When at={newest} />
            </>
          )}
        </dd>
      </dl>
      {more && <p class="muted">More match: these are the oldest, and you can go on with the rest afterwards.</p>}
    </>
  )
}
