import { effect, signal } from '@preact/signals'
import { PHONE_FORM } from '../../contract/limits.ts'
import { copyText } from '../components/copy.tsx'
import { attempt, said } from '../components/messages.ts'
import { threadOf } from '../state/threads.ts'
import { openRow } from '../state/view.ts'
import { callAsCurl, deliveryAsCurl } from '../text/commands.ts'
import { change } from '../wire/control.ts'
import type { Delivery } from '../wire/types.ts'
import { callAsFixture, deliveryAsFixture, deliveryAsTest } from './copies.ts'
import { attemptAt, chosenAttempt, details, openDelivery, opened } from './details.ts'
import { open, rows } from './list-state.ts'

/** What can be done with the open row. */

interface Redelivered {
  readonly status: number | null
  readonly attempt: { readonly error?: string }
}

/** Once more, signed now. */
export function replay(): void {
  redeliver({}, 'Replayed, signed now')
}

/** The same bytes, timestamp and signature once more: after 300 s a receiver must refuse them. */
export function replayExactly(): void {
  redeliver({ exact: true }, 'Replayed byte for byte')
}

/** Twice at once: the app must do it once. */
export function duplicate(): void {
  redeliver({}, 'Delivered twice at once', 2)
}

function redeliver(how: { readonly exact?: true }, what: string, times = 1): void {
  const delivery = openDelivery()
  if (delivery === undefined) return
  const again = () => change<Redelivered>('POST', `deliveries/${encodeURIComponent(delivery.id)}/redeliver`, how)
  attempt(async () => {
    const answers = await Promise.all(Array.from({ length: times }, again))
    said.value = `${what}: ${answers.map(answerText).join(' and ')}.`
  })
}

function answerText({ status, attempt: { error } }: Redelivered): string {
  return status === null ? `no answer (${(error ?? 'unknown').replaceAll('_', ' ')})` : `the app answered ${status}`
}

/** Whether the open delivery is being edited. */
export const editing = signal(false)
effect(() => {
  void openRow.value
  editing.value = false
})

export function edit(): void {
  if (openDelivery() !== undefined) editing.value = true
}

/** Hands out an event with this payload, to the same endpoint; answers the id of its delivery. */
export async function sendEdited(delivery: Delivery, event: string, payload: unknown): Promise<void> {
  const { customer, subscription } = delivery
  const about = customer !== null && PHONE_FORM.test(customer) ? { customer } : {}
  const { deliveryIds } = await change<{ deliveryIds: readonly string[] }>('POST', 'events', {
    event,
    payload,
    subscription,
    ...about,
  })
  editing.value = false
  said.value = `Sent as a new event: ${event}.`
  openWhenThere(deliveryIds[0])
}

/** Its row comes by the stream, soon before or after the answer. */
function openWhenThere(delivery: string | undefined): void {
  if (delivery === undefined) return
  const stop = rows.subscribe((all) => {
    const row = all.findLast((one) => one.delivery === delivery)
    if (row === undefined) return
    // Not while it is being subscribed to.
    queueMicrotask(() => {
      stop()
      open(row)
    })
  })
}

export function copyAsCurl(): void {
  const { call, delivery } = details.peek()
  const row = opened.peek()
  if (row === undefined) return
  if (call) return copyText(callAsCurl(call, location.origin), 'The call as a curl command')
  const made = delivery?.attempts[attemptAt(delivery, row, chosenAttempt.peek())]
  if (made) copyText(deliveryAsCurl(made), 'The delivery as a curl command')
}

export function copyAsFixture(): void {
  const { call, delivery } = details.peek()
  if (call) copyText(callAsFixture(call), 'The call as a fixture')
  else if (delivery) copyText(deliveryAsFixture(delivery), 'The delivery as a fixture')
}

export function copyAsTest(): void {
  const delivery = openDelivery()
  if (delivery === undefined) return
  const text = deliveryAsTest(delivery, delivery.customer === null ? [] : threadOf(delivery.customer).items.peek())
  if (text !== undefined) copyText(text, 'The delivery as a test')
  else said.value = 'Its body is no JSON object, so no test can deliver it.'
}
