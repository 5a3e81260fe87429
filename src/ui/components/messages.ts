import { signal } from '@preact/signals'

/** An error or a hint that stays on the page until the next one replaces it or the reader dismisses it. */
export const notice = signal('')

/** A short confirmation of the last action. It disappears automatically, and a screen reader announces it. */
export const toast = signal('')

/** Runs what a user asked for. A failure becomes the notice, and `onFailure` is called; success clears the notice. */
export function runAction(run: () => Promise<unknown>, onFailure?: () => void): void {
  run().then(
    () => (notice.value = ''),
    (error: unknown) => {
      notice.value = error instanceof Error ? error.message : String(error)
      onFailure?.()
    },
  )
}
