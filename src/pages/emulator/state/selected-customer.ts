import { computed } from '@preact/signals'
import { account, agent, customers, now } from './service.ts'
import { windowOf } from './customer-list.ts'
import { customer } from './view.ts'

export const selectedCustomer = computed(() => customers.value.find((one) => one.customer === customer.value))

/** The window of the first number, which the customer writes to. */
export const selectedWindow = computed(() => windowOf(selectedCustomer.value, account.value?.numbers[0]?.id, now.value))

export const selectedPause = computed(() =>
  agent.value?.paused.find((one) => one.customer === customer.value && Date.parse(one.until) > now.value),
)
