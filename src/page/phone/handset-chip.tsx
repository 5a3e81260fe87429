import { customers } from '../state/threads.ts'
import { customer, openPart } from '../state/view.ts'

/** Says of a handset what is unusual about it. */
export function HandsetChip() {
  const handset = customers.value.find((one) => one.customer === customer.value)?.handset
  const odd = [
    handset?.online === false && 'offline',
    handset?.receipts === false && 'no read receipts',
    handset?.blocked && 'blocks the business',
  ].filter((word) => typeof word === 'string')
  if (odd.length === 0) return null
  return (
    <button type="button" class="chip warn" onClick={() => openPart('account')}>
      {odd.join(', ')}
    </button>
  )
}
