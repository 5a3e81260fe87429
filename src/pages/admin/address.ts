import { computed, signal } from '@preact/signals'
import { parsePlace } from './place.ts'

const fragment = signal(location.hash)

/** The address of the last list. The back link of a details view leads there. */
export const lastList = signal<string | undefined>(undefined)

addEventListener('hashchange', () => {
  if (place.peek().id === undefined) lastList.value = fragment.peek() || '#/'
  fragment.value = location.hash
})

export const place = computed(() => parsePlace(fragment.value))
