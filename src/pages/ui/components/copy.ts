import { notice, toast } from './messages.ts'

export function copyText(text: string, what: string): void {
  writeClipboard(text).then(
    () => (toast.value = `${what} was copied.`),
    () => (notice.value = 'The browser does not let this page copy it.'),
  )
}

/** Async, so that a missing `navigator.clipboard` (on a page without https) rejects and does not throw. */
async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}
