import { computed, signal } from '@preact/signals'
import { parsePlace } from './place.ts'

const fragment = signal(location.hash)

addEventListener('hashchange', () => (fragment.value = location.hash))

// Entries before the one by which the reader came in are not the page's.
history.replaceState({ isFirst: true }, '')

/** Goes to the place before, and never out of the page. */
export function goBack(): void {
  if ((history.state as { isFirst?: boolean } | null)?.isFirst !== true) history.back()
}

export const place = computed(() => parsePlace(fragment.value))

export function goTo(link: string): void {
  location.hash = link
}
