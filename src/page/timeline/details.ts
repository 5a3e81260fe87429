import { computed, effect, signal } from '@preact/signals'
import { openRow } from '../state/view.ts'
import { read } from '../wire/control.ts'
import type { Call, Delivery } from '../wire/types.ts'
import { keepCall, keepDelivery, rows } from './list-state.ts'
import type { Row } from './rows/table.ts'

/** What is known of the open row beyond what the list says. */
export interface Details {
  /** Whose they are: the call's id, or the delivery's. */
  readonly of: string
  readonly call?: Call
  readonly delivery?: Delivery
  /** Why they could not be read. */
  readonly problem?: string
}

/** The row whose details are open; undefined where none is, or where it is no longer kept. */
export const opened = computed(() => {
  const id = openRow.value
  return id === '' ? undefined : rows.value.findLast((row) => row.id === id)
})

export const details = signal<Details>({ of: '' })

/** Of the open delivery the attempt that is looked at, from 0; undefined: the row's own. */
export const chosenAttempt = signal<number | undefined>(undefined)

/** Its latest row: it is another one whenever something became of the delivery. */
const latest = computed(() => {
  const delivery = opened.value?.delivery
  return delivery === undefined ? undefined : rows.value.findLast((row) => row.delivery === delivery)
})

effect(() => {
  // Read anew whenever something became of the delivery.
  void latest.value
  const row = opened.value
  if (row !== undefined) void load(row)
})

effect(() => {
  void openRow.value
  chosenAttempt.value = undefined
})

async function load(row: Row): Promise<void> {
  const { call, delivery } = row
  const of = delivery ?? call ?? ''
  if (details.peek().of !== of) details.value = { of }
  if (of === '') return
  const found = await (delivery === undefined ? readCall(of, row) : readDelivery(of)).catch((error: unknown) => ({
    of,
    problem: error instanceof Error ? error.message : String(error),
  }))
  // Another row may have been opened meanwhile.
  if (details.peek().of === of) details.value = found
}

/** A row and its call are told at the same time, by the same clock. */
const APART_MS = 1_000

async function readCall(id: string, { at }: Row): Promise<Details> {
  const call = await read<Call>(`calls/${encodeURIComponent(id)}`)
  // Ids begin anew with a reset, and a scenario that is played once more has the same.
  if (Math.abs(Date.parse(call.at) - Date.parse(at)) > APART_MS)
    return { of: id, problem: 'This call is no longer kept: everything began anew since, and another one has its id.' }
  keepCall(call)
  return { of: id, call }
}

async function readDelivery(id: string): Promise<Details> {
  const delivery = await read<Delivery>(`deliveries/${encodeURIComponent(id)}`)
  keepDelivery(delivery)
  return { of: id, delivery }
}

/** The open delivery, once it is read. */
export function openDelivery(): Delivery | undefined {
  return opened.peek()?.delivery === undefined ? undefined : details.peek().delivery
}

/** Which attempt is looked at, from 0; those that are too old are not kept, so that the latest stand at their places. */
export function attemptAt(delivery: Delivery, row: Row, chosen: number | undefined): number {
  const latest = delivery.attempts.length - 1
  return Math.min(latest, Math.max(0, chosen ?? (row.attempt ?? 1) - 1))
}
