import { effect, signal } from '@preact/signals'
import { RECIPIENT_FORM } from '../../../service/endpoints.ts'
import { controlToken, setControlToken, storedToken } from '../wire/control.ts'

// What the user looks at. The address contains it, so that it can be shared.

export const customer = signal('')
/** The id of the row whose details are open, or the id of its delivery. Empty if no details are open. */
export const openRowId = signal('')
export const query = signal('')

const DEFAULT_CUSTOMER = '255712000101'

/** Reads the view and the token from the address. */
export function readAddress(): void {
  const fromAddress = new URLSearchParams(location.hash.slice(1))
  setControlToken(fromAddress.get('token') ?? (controlToken.peek() || storedToken()))
  // Check the customer: a stranger may have written the address, and requests have the customer in their paths.
  const digits = fromAddress.get('customer') ?? ''
  customer.value = RECIPIENT_FORM.test(digits) ? digits : customer.peek() || DEFAULT_CUSTOMER
  openRowId.value = fromAddress.get('row') ?? fromAddress.get('delivery') ?? ''
  query.value = fromAddress.get('q') ?? ''
}

export function syncAddress(): void {
  addEventListener('hashchange', () => {
    readAddress()
    // Write the address even if the view is the same: users share it, so it must not keep the token.
    writeAddress()
  })
  effect(writeAddress)
}

function writeAddress(): void {
  const params = new URLSearchParams()
  params.set('customer', customer.value)
  if (openRowId.value !== '') params.set('row', openRowId.value)
  if (query.value !== '') params.set('q', query.value)
  history.replaceState(null, '', `#${params}`)
}

export const openSectionName = signal<SectionName | ''>('time')

export type SectionName = 'time' | 'endpoint' | 'faults' | 'agent' | 'account' | 'templates' | 'assumptions'

export function openSection(name: SectionName): void {
  openSectionName.value = name
}
