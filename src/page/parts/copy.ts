import { signal } from '@preact/signals'
import { said } from '../state/said.ts'

/** What the browser did not let onto the clipboard, to be copied by hand. */
export const uncopied = signal<{ readonly what: string; readonly text: string } | undefined>(undefined)

/** Puts a text on the clipboard and says so; where the browser refuses, it is shown to be copied by hand. */
export function copyText(text: string, what: string): void {
  write(text).then(
    () => (said.value = `${what} was copied.`),
    () => (uncopied.value = { what, text }),
  )
}

/** Where the page does not count as safe, the browser has no clipboard at all. */
async function write(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}
