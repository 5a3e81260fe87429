import { notice, toast } from './messages.ts'

export function copyText(text: string, what: string): void {
  writeClipboard(text).then(
    () => (toast.value = `${what} was copied.`),
    () => (notice.value = 'The browser does not let this page copy it.'),
  )
}

/** Async: without https there is no `navigator.clipboard`, and this must reject and not throw. */
async function writeClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}
