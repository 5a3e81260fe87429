import { computed, signal } from '@preact/signals'
import type { Me } from '../../admin/api.ts'
import { notice } from '../../ui/components/messages.ts'
import { get } from '../wire/ask.ts'

/** The person who looks, and what they may do; undefined until it is known. */
export const visitor = signal<Me | undefined>(undefined)

export const mayAct = computed(() => visitor.value !== undefined && !visitor.value.readOnly)
export const mayReveal = computed(() => visitor.value?.reveal === true)

export function loadVisitor(): void {
  get<Me>('api/me').then(
    (me) => (visitor.value = me),
    (error: Error) => (notice.value = error.message),
  )
}
