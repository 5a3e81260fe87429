import { signal } from '@preact/signals'

/** Something that a person must read; it goes with the next one, or when it is put away. */
export const notice = signal('')

/** Does something that a person asked for; what goes wrong is said, and `failed` hears of it. */
export function attempt(run: () => Promise<unknown>, failed?: () => void): void {
  run().then(
    () => (notice.value = ''),
    (error: unknown) => {
      notice.value = error instanceof Error ? error.message : String(error)
      failed?.()
    },
  )
}

/** What was just done, for those who see it and those who hear it. */
export const said = signal('')
