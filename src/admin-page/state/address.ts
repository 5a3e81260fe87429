import { computed, signal } from '@preact/signals'
import { parsePlace } from './place.ts'

const fragment = signal(location.hash)

addEventListener('hashchange', () => (fragment.value = location.hash))

/** The place that the address names. */
export const place = computed(() => parsePlace(fragment.value))

export function goTo(link: string): void {
  location.hash = link
}
