import type { Emulator } from '../../emulator/index.ts'
import { helpFor } from './conversation.ts'

interface BannerOptions {
  readonly webhook: string
  readonly customer: string
  readonly numbers: readonly string[]
  readonly interactive: boolean
}

export function banner(emulator: Emulator, { webhook, customer, numbers, interactive }: BannerOptions): string {
  const at = `${emulator.url}/_emulator/customers/${customer}`
  const token = `-H 'Authorization: Bearer ${emulator.controlToken}'`
  return [
    `The emulator is the service at ${emulator.url}; no send leaves this machine.`,
    `Its page is ${pageOf(emulator)}`,
    `Deliveries go to ${webhook}. ${numbers.length > 1 ? 'The phone number ids are' : 'The phone number id is'} ${numbers.join(', ')}.`,
    ...(interactive
      ? [helpFor(numbers)]
      : [
          'Write as a customer, and see what arrived:',
          `  curl -X POST ${at}/messages ${token} -H 'Content-Type: application/json' -d '{"text":"hours"}'`,
          `  curl ${at}/thread ${token}`,
        ]),
    '',
  ].join('\n')
}

/** The page's address. The token is in the fragment, which a browser sends nowhere. */
export function pageOf({ url, controlToken }: Pick<Emulator, 'url' | 'controlToken'>): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}

/** The page's address with a delivery opened on its timeline. */
export function pageOfDelivery(emulator: Pick<Emulator, 'url' | 'controlToken'>, delivery: string): string {
  return `${pageOf(emulator)}&delivery=${delivery}`
}
