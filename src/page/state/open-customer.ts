import { computed } from '@preact/signals'
import { now } from './clock.ts'
import { numberId } from './number.ts'
import { customers } from './threads.ts'
import { customer } from './view.ts'
import { windowOf } from './window.ts'
import { agent } from './world.ts'

/** What is known of the customer who is open; undefined before anybody heard of them. */
export const openCustomer = computed(() => customers.value.find((one) => one.customer === customer.value))

/** How their window stands, to the number that is written to. */
export const openWindow = computed(() => windowOf(openCustomer.value, numberId.value, now.value))

/** The AI agent's silence towards them, while it lasts. */
export const openPause = computed(() =>
  agent.value?.paused.find((one) => one.customer === customer.value && Date.parse(one.until) > now.value),
)
