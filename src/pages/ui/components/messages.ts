import { reasonOf } from '../../../base/errors.ts'
import { signal } from '@preact/signals'

/** An error or a hint. It stays on the page until another replaces it, or the reader dismisses it. */
export const notice = signal('')

/** A short confirmation of the last action. It disappears automatically, and a screen reader announces it. */
export const toast = signal('')

/** Runs a user's action. Its failure becomes the notice. Success clears the notice. */
export function runAction(run: () => Promise<unknown>, onFailure?: () => void): void {
  run().then(
    () => (notice.value = ''),
    (error: unknown) => {
      notice.value = reasonOf(error)
      onFailure?.()
    },
  )
}
