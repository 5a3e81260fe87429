import { computed, effect, signal } from '@preact/signals'
import { openRowId } from '../state/view.ts'
import { read } from '../wire/control.ts'
import type { Call, Delivery } from '../wire/types.ts'
import { rememberCall, rememberDelivery, rows } from './list-state.ts'
import type { Row } from './rows/table.ts'

/** The details of the open row, read when it opens. */
interface Details {
  /** The id of the call or the delivery. */
  readonly of: string
  readonly call?: Call
  readonly delivery?: Delivery
  /** Explains why the details could not be read. */
  readonly problem?: string
}

/** The row whose details are open; undefined if none is open, or if the row was dropped. */
export const openedRow = computed(() => {
  const id = openRowId.value
  return id === '' ? undefined : rows.value.findLast((row) => row.id === id)
})

export const details = signal<Details>({ of: '' })

/** The index of the attempt that the user chose; undefined for the attempt of the row. */
export const chosenAttempt = signal<number | undefined>(undefined)

/** The latest row of the open delivery. It changes with every attempt. */
const latestRow = computed(() => {
  const delivery = openedRow.value?.delivery
  return delivery === undefined ? undefined : rows.value.findLast((row) => row.delivery === delivery)
})

effect(() => {
  // Depends on the latest row, so that every attempt reads the details again.
  void latestRow.value
  const row = openedRow.value
  if (row !== undefined) void load(row)
})

effect(() => {
  void openRowId.value
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
  // The user may have opened another row meanwhile.
  if (details.peek().of === of) details.value = found
}

/** A row and its call carry the same time, apart from rounding. */
const SAME_CALL_MS = 1_000

async function readCall(id: string, { at }: Row): Promise<Details> {
  const call = await read<Call>(`calls/${encodeURIComponent(id)}`)
  // Ids start again after a reset, so another call may have the same id.
  if (Math.abs(Date.parse(call.at) - Date.parse(at)) > SAME_CALL_MS)
    return { of: id, problem: 'This call is no longer kept: everything began anew since, and another one has its id.' }
  rememberCall(call)
  return { of: id, call }
}

async function readDelivery(id: string): Promise<Details> {
  const delivery = await read<Delivery>(`deliveries/${encodeURIComponent(id)}`)
  rememberDelivery(delivery)
  return { of: id, delivery }
}

export function openedDelivery(): Delivery | undefined {
  return openedRow.peek()?.delivery === undefined ? undefined : details.peek().delivery
}

/** The index of the attempt to show. The oldest attempts may have been dropped; then the index stops at the last. */
export function attemptIndex(delivery: Delivery, row: Row, chosen: number | undefined): number {
  const latest = delivery.attempts.length - 1
  return Math.min(latest, Math.max(0, chosen ?? (row.attempt ?? 1) - 1))
}
