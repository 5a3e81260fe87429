import { computed, signal } from '@preact/signals'
import type { ListName } from '../../features/people/desk/desk-api.ts'

export const LIST_NAMES: readonly ListName[] = ['waiting', 'mine', 'open', 'recent']

const fragment = signal(location.hash)
addEventListener('hashchange', () => (fragment.value = location.hash))

/** The list and the open chat: `#/waiting/HANDLE`. */
const address = computed(() => {
  const [, name = '', customer = ''] = fragment.value.split('/', 3)
  const list = LIST_NAMES.find((one) => one === name) ?? 'waiting'
  return { list, customer: customer === '' ? undefined : customer }
})

export const shownList = computed(() => address.value.list)
export const openCustomer = computed(() => address.value.customer)

export function linkTo(list: ListName, customer?: string): string {
  return customer === undefined ? `#/${list}` : `#/${list}/${customer}`
}
