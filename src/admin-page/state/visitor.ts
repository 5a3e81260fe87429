import { computed, signal } from '@preact/signals'
import type { Me } from '../../admin/api.ts'
import { notice } from '../../ui/components/messages.ts'
import { get } from '../wire/ask.ts'

/** The person who looks, and what they may do; undefined until it is known. */
export const visitor = signal<Me | undefined>(undefined)

export const mayAct = computed(() => visitor.value !== undefined && !visitor.value.readOnly)
export const mayReveal = computed(() => visitor.value?.reveal === true)

/** Asks who looks: if it is somebody else than before, all that was shown to the other is gone. */
export function loadVisitor(): void {
  get<Me>('api/me').then(
    (me) => {
      const before = visitor.peek()
      visitor.value = me
      if (before !== undefined && before.who !== me.who) location.reload()
    },
    (error: Error) => {
      if (visitor.peek() === undefined) notice.value = error.message
    },
  )
}
