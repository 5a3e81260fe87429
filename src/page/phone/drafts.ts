import { type Signal, signal } from '@preact/signals'

const drafts = new Map<string, Signal<string>>()

/** What is being written as a customer: it waits while somebody looks at another one. */
export function draftOf(customer: string): Signal<string> {
  const known = drafts.get(customer)
  if (known) return known
  const draft = signal('')
  drafts.set(customer, draft)
  return draft
}
