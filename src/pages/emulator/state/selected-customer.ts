import { computed } from '@preact/signals'
import { customer } from './view.ts'
import { windowOf } from './customer-list.ts'
import { account, agent, customers, now } from './service.ts'

export const selectedCustomer = computed(() => customers.value.find((one) => one.customer === customer.value))

/** The window of the first number, to which the customer writes. */
export const selectedWindow = computed(() => windowOf(selectedCustomer.value, account.value?.numbers[0]?.id, now.value))

export const selectedPause = computed(() =>
  agent.value?.paused.find((one) => one.customer === customer.value && Date.parse(one.until) > now.value),
)
