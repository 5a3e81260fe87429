import { computed, signal } from '@preact/signals'
import { parsePlace } from './place.ts'

const fragment = signal(location.hash)

/** The address of the list that was shown last. The way back from one thing leads there. */
export const lastList = signal<string | undefined>(undefined)

addEventListener('hashchange', () => {
  if (place.peek().id === undefined) lastList.value = fragment.peek() || '#/'
  fragment.value = location.hash
})

export const place = computed(() => parsePlace(fragment.value))
