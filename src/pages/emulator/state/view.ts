import { effect, signal } from '@preact/signals'
import { RECIPIENT_FORM } from '../../../service/endpoints.ts'
import { controlToken, setControlToken, storedToken } from '../wire/control.ts'

// The user's current view. The address contains most of it, so that a view can be shared.

export const customer = signal('')
export const openRowId = signal('')
/** The id of the delivery that the address links to; empty for none. */
export const linkedDelivery = signal('')
export const query = signal('')
/** The id of the message whose bubble and rows are highlighted. */
export const selectedMessage = signal('')
/** The id of the number that the customer writes to; empty for the first. */
export const numberChoice = signal('')
export const pane = signal<Pane>('phone')

export type Pane = 'controls' | 'phone' | 'timeline'

const DEFAULT_CUSTOMER = '255712000101'

/**
 * Reads the view and the token from the address, then removes the token, because it must not be shared with the view.
 */
export function readAddress(): void {
  const fromAddress = new URLSearchParams(location.hash.slice(1))
  setControlToken(fromAddress.get('token') ?? (controlToken.peek() || storedToken()))
  // Anybody may have written the address, so only digits may be used in the paths of requests.
  const digits = fromAddress.get('customer') ?? ''
  customer.value = RECIPIENT_FORM.test(digits) ? digits : customer.peek() || DEFAULT_CUSTOMER
  openRowId.value = fromAddress.get('row') ?? ''
  linkedDelivery.value = fromAddress.get('delivery') ?? ''
  query.value = fromAddress.get('q') ?? ''
  const named = fromAddress.get('pane')
  if (linkedDelivery.peek() !== '') pane.value = 'timeline'
  else pane.value = named === 'controls' || named === 'timeline' ? named : 'phone'
}

export function syncAddress(): void {
  addEventListener('hashchange', () => {
    readAddress()
    // Written even if the view is unchanged, because the token must not stay in the address.
    writeAddress()
  })
  effect(writeAddress)
}

function writeAddress(): void {
  const params = new URLSearchParams()
  params.set('customer', customer.value)
  if (openRowId.value !== '') params.set('row', openRowId.value)
  if (linkedDelivery.value !== '') params.set('delivery', linkedDelivery.value)
  if (query.value !== '') params.set('q', query.value)
  if (pane.value !== 'phone') params.set('pane', pane.value)
  history.replaceState(null, '', `#${params}`)
}

export const openSectionName = signal<SectionName | ''>('time')

export type SectionName = 'time' | 'endpoint' | 'faults' | 'agent' | 'account' | 'templates' | 'assumptions'

export function openSection(name: SectionName): void {
  openSectionName.value = name
  pane.value = 'controls'
}

export function showMessage(id: string): void {
  selectedMessage.value = id
  pane.value = 'timeline'
}
