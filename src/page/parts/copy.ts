import { attempt } from '../state/notice.ts'
import { said } from '../state/said.ts'

/** Puts a text on the clipboard and says so. */
export function copyText(text: string, what: string): void {
  attempt(async () => {
    await navigator.clipboard.writeText(text)
    said.value = `${what} was copied.`
  })
}
