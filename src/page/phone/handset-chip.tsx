import { openCustomer } from '../state/open-customer.ts'
import { openPart } from '../state/view.ts'
import { odditiesOf } from './handset-words.ts'

/** Says of a handset what is unusual about it. */
export function HandsetChip() {
  const handset = openCustomer.value?.handset
  const odd = handset ? odditiesOf(handset) : []
  if (odd.length === 0) return null
  return (
    <button type="button" class="chip warn" onClick={() => openPart('account')}>
      {odd.join(', ')}
    </button>
  )
}
