import { computed, signal } from '@preact/signals'

export const TITLES = {
  overview: 'Overview',
  deliveries: 'Deliveries',
  sends: 'Sends',
  conversations: 'Conversations',
  announcements: 'Announcements',
  customers: 'Customers',
  acts: 'Record',
  search: 'Search',
} as const
export type View = keyof typeof TITLES

const fragment = signal(location.hash)
addEventListener('hashchange', () => (fragment.value = location.hash))

/**
 * The view that is open, such as `#/deliveries/12` or `#/deliveries?state=dead`. Any other fragment opens the overview.
 * A fragment works at any path at which the app may mount the page. No fragment identifies a customer.
 */
export const address = computed(() => {
  const [path = '', query = ''] = fragment.value.replace(/^#\/?/, '').split('?', 2)
  const [name = '', id = ''] = path.split('/', 2)
  const view = Object.hasOwn(TITLES, name) ? (name as View) : 'overview'
  return { view, id: id === '' ? undefined : decode(id), filters: new URLSearchParams(query) }
})

function decode(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

export function linkTo(
  view: View,
  o: { id?: string | number; filters?: Readonly<Record<string, string>> } = {},
): string {
  const id = o.id === undefined ? '' : `/${encodeURIComponent(o.id)}`
  const query = new URLSearchParams(o.filters).toString()
  return `#/${view === 'overview' ? '' : view}${id}${query === '' ? '' : `?${query}`}`
}
