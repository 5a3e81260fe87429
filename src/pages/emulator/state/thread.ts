import { computed, effect, signal } from '@preact/signals'
import { read } from '../wire/control.ts'
import type { ShownCode, ThreadItem } from '../wire/wire-types.ts'
import { happenings } from './follow.ts'
import { customer } from './view.ts'

/** What the selected customer's phone shows, oldest first. */
export const thread = computed<readonly ThreadItem[]>(() => {
  const items = new Map<string, ThreadItem>()
  for (const happening of happenings.value) {
    if (happening.kind === 'resync') items.clear()
    // An item that is there already has a new status.
    if (happening.kind === 'thread' && happening.customer === customer.value)
      items.set(happening.item.id, happening.item)
  }
  return [...items.values()]
})

/** The one-time codes on the phone. They are not in the stream, so they are read when a template has a new status. */
export const codes = signal<readonly ShownCode[]>([])

const templates = computed(() =>
  thread.value.flatMap(({ id, status, template }) => (template ? [`${id} ${status}`] : [])).join(),
)

effect(() => {
  const digits = customer.value
  if (templates.value === '') {
    codes.value = []
    return
  }
  read<{ items: readonly ShownCode[] }>(`customers/${digits}/codes`).then(
    ({ items }) => {
      if (customer.peek() === digits) codes.value = items
    },
    () => undefined,
  )
})
