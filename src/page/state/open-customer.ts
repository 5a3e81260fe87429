import { computed } from '@preact/signals'
import { notice } from '../components/messages.ts'
import { now, setClock } from './clock.ts'
import { customers, windowOf } from './customers.ts'
import { customer, writtenTo } from './view.ts'
import { account, agent } from './world.ts'

/** What is known of the customer who is open; undefined before anybody heard of them. */
export const openCustomer = computed(() => customers.value.find((one) => one.customer === customer.value))

/** How their window stands, to the number that is written to. */
export const openWindow = computed(() => windowOf(openCustomer.value, numberId.value, now.value))

/** The AI agent's silence towards them, while it lasts. */
export const openPause = computed(() =>
  agent.value?.paused.find((one) => one.customer === customer.value && Date.parse(one.until) > now.value),
)

/** The id of the number that was chosen to be written to, while it is there; empty: the first. */
export const chosenNumber = computed(() =>
  account.value?.numbers.some(({ id }) => id === writtenTo.value) ? writtenTo.value : '',
)

/** The id of the number that the customer writes to. */
export const numberId = computed(() => chosenNumber.value || account.value?.numbers[0]?.id)

const BEFORE_MS = 1_000

/** To one second before the window of the open customer closes. */
export function toBeforeClose(): void {
  const { is, leftMs } = openWindow.value
  if (is === 'never' || is === 'closed' || leftMs <= BEFORE_MS)
    notice.value = `The window of ${customer.value} is not open. It opens when the customer writes.`
  else setClock(new Date(now.value + leftMs - BEFORE_MS))
}
