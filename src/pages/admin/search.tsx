import { reasonOf } from '../../base/errors.ts'
import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Found } from '../../admin/api.ts'
import { Customer } from './parts.tsx'
import { linkTo } from './address.ts'
import { mayReveal, post } from './server.ts'
import { DeliveryRows, Rows, SendRows } from './rows.tsx'

// The result contains the searched text, which may be a customer's number. So it is not kept in the address.
const found = signal<Found | undefined>(undefined)
const problem = signal('')
let searches = 0

export function SearchBox() {
  const input = useRef<HTMLInputElement>(null)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const box = input.current
    const text = box?.value.trim()
    if (!box || !text) return
    // A customer's number must not stay on the screen.
    box.value = ''
    search(text)
  }
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input
        ref={input}
        type="search"
        aria-label="Search"
        placeholder={mayReveal.value ? 'Id, key, ref or customer' : 'Id or ref'}
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
  location.hash = linkTo('search')
  post<Found>('api/search', { text }).then(
    (answer) => {
      if (mine === searches) found.value = answer
    },
    (error: unknown) => {
      if (mine === searches) problem.value = reasonOf(error)
    },
  )
}

export function SearchResults() {
  const answer = found.value
  if (answer === undefined)
    return <p class="empty">{problem.value === '' ? 'Type into the field above, and press Enter.' : problem.value}</p>
  const { deliveries, sends, customers } = answer
  const isEmpty = deliveries.length + sends.length + customers.length === 0
  return (
    <div class="scroll details">
      <div class="page-head line">
        <h2>Found</h2>
      </div>
      {isEmpty && <p class="empty">Nothing found. Search for a whole id, key, ref or phone number.</p>}
      {customers.length > 0 && (
        <section class="stack">
          <h3>Customer</h3>
          <Rows
            rows={customers}
            linkOf={({ handle }) => linkTo('customers', { id: handle })}
            render={({ customer, number }) => <Customer customer={customer} number={number} />}
          />
        </section>
      )}
      {deliveries.length > 0 && (
        <section class="stack">
          <h3>Deliveries</h3>
          <DeliveryRows rows={deliveries} />
        </section>
      )}
      {sends.length > 0 && (
        <section class="stack">
          <h3>Sends</h3>
          <SendRows rows={sends} />
        </section>
      )}
    </div>
  )
}
