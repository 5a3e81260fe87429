import { spawn } from 'node:child_process'
import type { Emulator } from '../../emulator/index.ts'
import { HELP } from './phone.ts'

interface About {
  readonly webhook: string
  readonly customer: string
  readonly interactive: boolean
}

/** What whoever starts it needs to know; at most eight lines. */
export function banner(emulator: Emulator, { webhook, customer, interactive }: About): string {
  const at = `${emulator.url}/_emulator/customers/${customer}`
  const token = `-H 'Authorization: Bearer ${emulator.controlToken}'`
  return [
    `The emulator is the service at ${emulator.url}; no send leaves this machine.`,
    `Its page is ${pageOf(emulator)}`,
    `Deliveries go to ${webhook}. The phone number id is ${emulator.phoneNumberId}.`,
    ...(interactive
      ? [HELP]
      : [
          'Write as a customer, and see what arrived:',
          `  curl -X POST ${at}/messages ${token} -H 'Content-Type: application/json' -d '{"text":"hours"}'`,
          `  curl ${at}/thread ${token}`,
        ]),
    '',
  ].join('\n')
}

/** With the token in the fragment, which no browser sends anywhere. */
export function pageOf({ url, controlToken }: Emulator): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the browser of whoever sits there; `tell` is told where that cannot be done. */
export function openInBrowser(url: string, tell: (line: string) => void): void {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(file, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => tell(`No browser could be opened (${file}); the page is at ${url}`))
  child.unref()
}
