import { computed, signal } from '@preact/signals'
import { parsePlace } from './place.ts'

const fragment = signal(location.hash)
addEventListener('hashchange', () => (fragment.value = location.hash))

export const place = computed(() => parsePlace(fragment.value))
