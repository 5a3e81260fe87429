import { effect, signal } from '@preact/signals'
import { PHONE_FORM } from '../../contract/limits.ts'
import { copyText } from '../../ui/components/copy.tsx'
import { runAction, toast } from '../../ui/components/messages.ts'
import { threadOf } from '../state/threads.ts'
import { linkedDelivery, openRowId } from '../state/view.ts'
import { callAsCurl, deliveryAsCurl } from '../text/commands.ts'
import { change } from '../wire/control.ts'
import type { Delivery } from '../wire/types.ts'
import { callAsFixture, deliveryAsFixture, deliveryAsTest } from './copies.ts'
import { attemptIndex, chosenAttempt, details, openedDelivery, openedRow } from './details.ts'

// The actions of the open row.

interface Redelivered {
  readonly status: number | null
  readonly attempt: { readonly error?: string }
}

/** Delivers again, signed now. */
export function replay(): void {
  redeliver({}, 'Replayed, signed now')
}

/** Delivers the same bytes, timestamp and signature again. After 300 s a receiver must refuse them. */
export function replayExactly(): void {
  redeliver({ exact: true }, 'Replayed byte for byte')
}

/** Delivers twice at once: the app must handle it once. */
export function duplicate(): void {
  redeliver({}, 'Delivered twice at once', 2)
}

function redeliver(options: { readonly exact?: true }, done: string, times = 1): void {
  const delivery = openedDelivery()
  if (delivery === undefined) return
  const send = () => change<Redelivered>('POST', `deliveries/${encodeURIComponent(delivery.id)}/redeliver`, options)
  runAction(async () => {
    const answers = await Promise.all(Array.from({ length: times }, send))
    toast.value = `${done}: ${answers.map(answerText).join(' and ')}.`
  })
}

function answerText({ status, attempt: { error } }: Redelivered): string {
  return status === null ? `no answer (${(error ?? 'unknown').replaceAll('_', ' ')})` : `the app answered ${status}`
}

export const isEditing = signal(false)
effect(() => {
  void openRowId.value
  isEditing.value = false
})

export function startEdit(): void {
  if (openedDelivery() !== undefined) isEditing.value = true
}

/** Sends a new event with this payload to the same endpoint, and opens its row as soon as it comes. */
export async function sendEdited(delivery: Delivery, event: string, payload: unknown): Promise<void> {
  const { customer, subscription } = delivery
  const about = customer !== null && PHONE_FORM.test(customer) ? { customer } : {}
  const { deliveryIds } = await change<{ deliveryIds: readonly string[] }>('POST', 'events', {
    event,
    payload,
    subscription,
    ...about,
  })
  isEditing.value = false
  toast.value = `Sent as a new event: ${event}.`
  linkedDelivery.value = deliveryIds[0] ?? ''
}

export function copyAsCurl(): void {
  const { call, delivery } = details.peek()
  const row = openedRow.peek()
  if (row === undefined) return
  if (call) return copyText(callAsCurl(call, location.origin), 'The call as a curl command')
  const attempt = delivery?.attempts[attemptIndex(delivery, row, chosenAttempt.peek())]
  if (attempt) copyText(deliveryAsCurl(attempt), 'The delivery as a curl command')
}

export function copyAsFixture(): void {
  const { call, delivery } = details.peek()
  if (call) copyText(callAsFixture(call), 'The call as a fixture')
  else if (delivery) copyText(deliveryAsFixture(delivery), 'The delivery as a fixture')
}

export function copyAsTest(): void {
  const delivery = openedDelivery()
  if (delivery === undefined) return
  const text = deliveryAsTest(delivery, delivery.customer === null ? [] : threadOf(delivery.customer).items.peek())
  if (text !== undefined) copyText(text, 'The delivery as a test')
  else toast.value = 'Its body is no JSON object, so no test can deliver it.'
}
