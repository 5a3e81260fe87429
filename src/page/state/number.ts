import { computed } from '@preact/signals'
import { writtenTo } from './view.ts'
import { account } from './world.ts'

/** The id of the number that was chosen to be written to, while it is there; empty: the first. */
export const chosenNumber = computed(() =>
  account.value?.numbers.some(({ id }) => id === writtenTo.value) ? writtenTo.value : '',
)

/** The id of the number that the customer writes to. */
export const numberId = computed(() => chosenNumber.value || account.value?.numbers[0]?.id)
