import { useSignal } from '@preact/signals'
import { customer, pane } from '../../state/view.ts'
import { readDigits } from './digits.ts'

/** Becomes somebody else, also somebody who never wrote. */
export function CustomerField() {
  const given = useSignal('')
  const isWrong = useSignal(false)
  const become = (event: SubmitEvent) => {
    event.preventDefault()
    const digits = readDigits(given.value)
    isWrong.value = digits === undefined
    if (digits === undefined) return
    customer.value = digits
    pane.value = 'phone'
    given.value = ''
  }
  return (
    <form class="customer-field" onSubmit={become} noValidate>
      <label for="customer">Customer</label>
      <div class="line">
        <input
          id="customer"
          inputMode="tel"
          autocomplete="off"
          placeholder="255712000102"
          value={given}
          aria-invalid={isWrong.value}
          aria-describedby={isWrong.value ? 'customer-wrong' : undefined}
          onInput={(event) => {
            given.value = event.currentTarget.value
            isWrong.value = false
          }}
        />
        <button type="submit" title="Be this customer: their phone opens">
          Be them
        </button>
      </div>
      {isWrong.value && (
        <p class="wrong" id="customer-wrong" role="alert">
          A number in full international format: 6 to 15 digits, no zero in front.
        </p>
      )}
    </form>
  )
}
