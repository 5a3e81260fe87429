import { signal } from '@preact/signals'
import type { Found } from '../../admin/api.ts'
import { goTo } from '../state/address.ts'
import { linkTo } from '../state/place.ts'
import { post } from '../wire/ask.ts'
import { DeliveryRows, SendRows } from '../parts/rows.tsx'
import { Customer } from '../parts/words.tsx'

// The typed text may be a customer's number: it stands in no address and in no history.
const found = signal<Found | undefined>(undefined)
const problem = signal('')
/** Counts searches: the answer to an earlier one is dropped. */
let searches = 0

export function SearchBox() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = (event.currentTarget as HTMLFormElement).querySelector('input')?.value.trim() ?? ''
    if (text !== '') search(text)
  }
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input
        type="search"
        aria-label="Search by id, key, ref, or a customer’s digits"
        placeholder="Id, key, ref or customer"
        autocomplete="off"
        spellcheck={false}
      />
    </form>
  )
}

function search(text: string): void {
  const mine = ++searches
  found.value = undefined
  problem.value = ''
  goTo(linkTo('search'))
  post<Found>('api/search', { text }).then(
    (answer) => {
      if (mine === searches) found.value = answer
    },
    (error: Error) => {
      if (mine === searches) problem.value = error.message
    },
  )
}

export function SearchResults() {
  const answer = found.value
  if (answer === undefined)
    return <p class="empty">{problem.value === '' ? 'Write into the field above, and press Enter.' : problem.value}</p>
  const { deliveries, sends, customers } = answer
  const isEmpty = deliveries.length + sends.length + customers.length === 0
  return (
    <div class="scroll page details">
      <div class="page-head">
        <h2>Found</h2>
      </div>
      {isEmpty && (
        <p class="empty">Nothing has that id, key or ref, and no customer that number. Only whole ones are found.</p>
      )}
      {customers.length > 0 && (
        <section>
          <h3>Customer</h3>
          <ul class="plain-rows">
            {customers.map(({ handle, customer, number }) => (
              <li key={handle}>
                <a class="row" href={linkTo('customers', { id: handle })}>
                  <Customer customer={customer} number={number} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {deliveries.length > 0 && (
        <section>
          <h3>Deliveries</h3>
          <DeliveryRows rows={deliveries} />
        </section>
      )}
      {sends.length > 0 && (
        <section>
          <h3>Sends</h3>
          <SendRows rows={sends} />
        </section>
      )}
    </div>
  )
}
