import { reasonOf } from '../../base/errors.ts'
import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Act, Done, Preview, RetryFilter } from '../../admin/requests.ts'
import { confirm } from '../ui/components/dialog.tsx'
import { notice, toast } from '../ui/components/messages.ts'
import { plural } from './parts.tsx'
import { mayRetry, post, version } from './server.ts'

export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  /** The act may send a message to the customer, or lose one. */
  readonly isDangerous?: boolean
  readonly act: Act
  /** Without this right the person does not see the button. Default: the right to retry. */
  readonly may?: ReadonlySignal<boolean>
  readonly done: (count: number) => string
}

function askFirst({ title, text, action, isDangerous, act, done }: Question): void {
  confirm({ title, text, action, tone: isDangerous ? 'danger' : 'primary', run: () => void carryOut(act, done) })
}

export function ActButton({ label, may = mayRetry, ...question }: Question & { readonly label?: string }) {
  if (!may.value) return null
  return (
    <button type="button" onClick={() => askFirst(question)}>
      {label ?? `${question.action}…`}
    </button>
  )
}

/** If the server refused the act, the notice says why. */
async function carryOut(act: Act, done: Question['done']): Promise<void> {
  try {
    const { count, untouched } = await post<Done>('api/act', act)
    toast.value = done(count)
    notice.value = untouched.map(({ what, why }) => `${what} was not changed: ${why}`).join('\n')
  } catch (error) {
    notice.value = reasonOf(error)
  } finally {
    version.value++
  }
}

/** Counts the deliveries that match now, shows the count, and asks. Only the counted deliveries are retried. */
export async function askToRetryAll(filter: RetryFilter): Promise<void> {
  const asked = location.hash
  try {
    const preview = await post<Preview>('api/preview', { filter })
    if (preview.deliveries === 0) notice.value = 'Nothing matches any more.'
    else if (location.hash === asked)
      askFirst({
        title: `Retry ${plural(preview.deliveries, 'delivery', 'deliveries')}?`,
        text: <Meant preview={preview} />,
        action: `Retry ${preview.deliveries.toLocaleString('en')}`,
        act: { act: 'retry', filter, token: preview.token },
        done: (count) => `${plural(count, 'item')} requeued.`,
      })
  } catch (error) {
    notice.value = reasonOf(error)
  }
}

function Meant({ preview: { customers, more } }: { preview: Preview }) {
  return (
    <>
      <p>
        {customers > 0 && `They belong to ${plural(customers, 'customer')}. `}
        Their handlers run again, except those that succeeded. Their messages reach the customers.
      </p>
      {more && <p class="muted">More match. These are the oldest. You can retry the others afterwards.</p>}
    </>
  )
}
