import { spawn } from 'node:child_process'
import type { Emulator } from '../../emulator/index.ts'
import { HELP } from './phone.ts'

interface BannerOptions {
  readonly webhook: string
  readonly customer: string
  readonly interactive: boolean
}

/** The lines shown at the start; at most eight. */
export function banner(emulator: Emulator, { webhook, customer, interactive }: BannerOptions): string {
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

/** The page's address. The token is in the fragment, which a browser sends nowhere. */
export function pageOf({ url, controlToken }: Emulator): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the user's browser; `print` is called if no browser can be started. */
export function openInBrowser(url: string, print: (line: string) => void): void {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(file, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', () => print(`No browser could be opened (${file}); the page is at ${url}`))
  child.unref()
}
