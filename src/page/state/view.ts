import { effect, signal } from '@preact/signals'
import { RECIPIENT_FORM } from '../../contract/limits.ts'
import { controlToken, keptToken, takeToken } from '../wire/control.ts'

/** What is looked at; the address says it, so that a view can be shared. */
export const customer = signal('')
/** The happening whose details are open. */
export const openRow = signal('')
export const query = signal('')
/** The message whose bubble and rows are marked. */
export const selectedMessage = signal('')
/** The id of the number that the customer writes to; empty: the first. */
export const writtenTo = signal('')
/** Which pane a narrow screen shows. */
export const pane = signal<Pane>('phone')

export type Pane = 'controls' | 'phone' | 'timeline'

const USUAL_CUSTOMER = '255712000101'

/** Reads the address; takes the token out of it, since it is not to be shared with the view. */
export function readAddress(): void {
  const given = new URLSearchParams(location.hash.slice(1))
  takeToken(given.get('token') ?? (controlToken.peek() || keptToken()))
  // An address may come from anybody: nothing but digits gets into the paths of what is asked for.
  const digits = given.get('customer') ?? ''
  customer.value = RECIPIENT_FORM.test(digits) ? digits : customer.peek() || USUAL_CUSTOMER
  openRow.value = given.get('row') ?? ''
  query.value = given.get('q') ?? ''
  const shown = given.get('pane')
  pane.value = shown === 'controls' || shown === 'timeline' ? shown : 'phone'
}

/** Writes the view into the address whenever it changes. */
export function keepAddress(): void {
  addEventListener('hashchange', () => {
    readAddress()
    // Also where the view is the same as before: the token is not to stay there.
    writeAddress()
  })
  effect(writeAddress)
}

function writeAddress(): void {
  const shown = new URLSearchParams()
  shown.set('customer', customer.value)
  if (openRow.value !== '') shown.set('row', openRow.value)
  if (query.value !== '') shown.set('q', query.value)
  if (pane.value !== 'phone') shown.set('pane', pane.value)
  history.replaceState(null, '', `#${shown}`)
}

/** The section of the controls that is open; empty: none. */
export const part = signal<Part | ''>('time')

export type Part =
  | 'time'
  | 'endpoint'
  | 'faults'
  | 'agent'
  | 'account'
  | 'templates'
  | 'assumptions'
  | 'recorder'
  | 'state'

/** Opens a section of the controls, wherever it is asked for. */
export function openPart(name: Part): void {
  part.value = name
  pane.value = 'controls'
}

/** Marks a message, and shows on the timeline what led to it and what came of it. */
export function openMessage(id: string): void {
  selectedMessage.value = id
  pane.value = 'timeline'
}
