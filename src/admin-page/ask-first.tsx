import type { ComponentChildren } from 'preact'
import type { Act, Done, Preview, RetryFilter } from '../admin/api.ts'
import { confirm } from '../ui/components/dialog.tsx'
import { notice, toast } from '../ui/components/messages.ts'
import { plural, States, When } from './parts.tsx'
import { mayAct, post, version } from './server.ts'

/** An act with its words: those that ask for it, and those that tell what came of it. */
export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  /** The customer may get a message by it, or lose one. */
  readonly isGrave?: boolean
  readonly act: Act
  readonly done: (count: number) => string
}

/** Every act is asked for first: it reaches somebody's phone, or a queue that others wait for. */
export function askFirst({ title, text, action, isGrave, act, done }: Question): void {
  confirm({ title, text, action, tone: isGrave ? 'danger' : 'primary', run: () => void carryOut(act, done) })
}

export function ActButton({ label, ...question }: Question & { readonly label?: string }) {
  if (!mayAct.value) return null
  return (
    <button type="button" onClick={() => askFirst(question)}>
      {label ?? `${question.action}…`}
    </button>
  )
}

/** Does an act, says what came of it, and asks anew for what is shown. */
async function carryOut(act: Act, done: Question['done']): Promise<void> {
  try {
    const { count, untouched } = await post<Done>('api/act', act)
    toast.value = done(count)
    notice.value = untouched.map(({ what, why }) => `${what} was left alone: ${why}`).join('\n')
  } catch (error) {
    notice.value = error instanceof Error ? error.message : String(error)
  }
  version.value++
}

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
