import { reasonOf } from '../../../base/errors.ts'
import { computed, effect, signal } from '@preact/signals'
import { copyText } from '../../ui/components/copy.ts'
import { runAction, toast } from '../../ui/components/messages.ts'
import { parseJson } from '../../../base/value.ts'
import { change, read } from '../wire/control.ts'
import type { Call, Delivery } from '../wire/wire-types.ts'
import type { Row } from './timeline-rows.ts'
import { openedRow, rows } from './state.ts'

interface Details {
  readonly of: string
  readonly call?: Call
  readonly delivery?: Delivery
  readonly problem?: string
}

export const details = signal<Details>({ of: '' })

/** Changes with each attempt of the open row's delivery. Then the details are read again. */
const version = computed(() => {
  const row = openedRow.value
  return JSON.stringify([row, row?.delivery && rows.value.findLast(({ delivery }) => delivery === row.delivery)])
})

effect(() => {
  void version.value
  const row = openedRow.peek()
  if (row !== undefined) void load(row)
})

async function load({ call = '', delivery }: Row): Promise<void> {
  const of = delivery ?? call
  if (details.peek().of !== of) details.value = { of }
  if (of === '') return
  const found = await readDetails(call, delivery).catch((error: unknown) => ({ of, problem: reasonOf(error) }))
  // Ignore the answer if the user has opened another row meanwhile.
  if (details.peek().of === of) details.value = found
}

async function readDetails(call: string, delivery: string | undefined): Promise<Details> {
  if (delivery === undefined) return { of: call, call: await read<Call>(`calls/${call}`) }
  return { of: delivery, delivery: await read<Delivery>(`deliveries/${delivery}`) }
}

function openedDelivery(): Delivery | undefined {
  return openedRow.peek()?.delivery === undefined ? undefined : details.peek().delivery
}

/** The index of the row's attempt. The emulator drops old attempts, so it may be less than the row's number. */
export function attemptIndex({ attempts }: Delivery, { attempt = 1 }: Row): number {
  return Math.min(attempts.length, Math.max(1, attempt)) - 1
}

interface Redelivered {
  readonly status: number | null
  readonly attempt: { readonly error?: string }
}

export function redeliver(): void {
  const delivery = openedDelivery()
  if (delivery === undefined) return
  runAction(async () => {
    const { status, attempt } = await change<Redelivered>('POST', `deliveries/${delivery.id}/redeliver`, {})
    const { error = 'unknown' } = attempt
    const answer = status === null ? `no answer (${error.replaceAll('_', ' ')})` : `the app answered ${status}`
    toast.value = `Replayed, signed now: ${answer}.`
  })
}

/** Copies a fixture for `s.event(event, payload)` in a test, and for `switchhook trigger --data`. */
export function copyAsFixture(): void {
  const delivery = openedDelivery()
  if (delivery === undefined) return
  // Use the first attempt: a fault or a person may have changed a later one.
  const body = delivery.attempts[0]?.request.body ?? ''
  const fixture = { event: delivery.event, payload: parseJson(body) ?? body }
  copyText(JSON.stringify(fixture, null, 2), 'The delivery as a fixture')
}
