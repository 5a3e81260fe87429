import { notice, toast } from './messages.ts'

export function copyText(text: string, what: string): void {
  writeClipboard(text).then(
    () => (toast.value = `${what} was copied.`),
    () => (notice.value = 'The browser does not let this page copy it.'),
  )
}

/** Async, so that it rejects and does not throw if there is no `navigator.clipboard`, as without https. */
async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}
