import { computed } from '@preact/signals'
import { account, agent, customers, now, setClock } from './service.ts'
import { windowOf } from './customer-list.ts'
import { customer, numberChoice } from './view.ts'

export const selectedCustomer = computed(() => customers.value.find((one) => one.customer === customer.value))

/** The id of the chosen number, if it still exists; empty for the first number. */
export const chosenNumber = computed(() =>
  account.value?.numbers.some(({ id }) => id === numberChoice.value) ? numberChoice.value : '',
)

const currentNumber = computed(() => chosenNumber.value || account.value?.numbers[0]?.id)

export const selectedWindow = computed(() => windowOf(selectedCustomer.value, currentNumber.value, now.value))

export const selectedPause = computed(() =>
  agent.value?.paused.find((one) => one.customer === customer.value && Date.parse(one.until) > now.value),
)

const BEFORE_MS = 1_000

export function moveToWindowEnd(): void {
  const { leftMs } = selectedWindow.value
  if (leftMs > BEFORE_MS) setClock(new Date(now.value + leftMs - BEFORE_MS))
}
