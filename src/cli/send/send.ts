import { isLoopback } from '../../base/loopback.ts'
import { type Accepted, createClient, NoAnswerError } from '../../client/index.ts'
import { OutOfReach } from '../exit.ts'
import type { RunningFlags } from '../running-emulator.ts'
import type { ServiceFlags } from '../templates/service.ts'
import { addressFrom } from './address.ts'
import { confirm } from './confirm.ts'
import { type ContentFlags, contentFrom } from './content.ts'

export interface SendFlags extends ServiceFlags, RunningFlags, ContentFlags {
  readonly to: string
  readonly key?: string
  readonly live?: boolean
  readonly json?: boolean
}

/** `switchhook send`: one message through the API. */
export async function send(flags: SendFlags): Promise<void> {
  const content = await contentFrom(flags)
  const address = await addressFrom(flags)
  if (!isLoopback(address.baseUrl)) await confirm(flags.to, address.baseUrl, flags)
  const client = createClient({ ...address, phoneNumberId: flags.phoneNumberId ?? address.phoneNumberId })
  // Without a key nothing is repeated whose outcome is unknown, so that nobody gets it twice.
  const sent = client.messages.send(flags.to, content, { idempotencyKey: flags.key ?? null })
  const accepted = await sent.catch((error: unknown) => {
    if (!(error instanceof NoAnswerError) || error.reason !== 'connection' || !isLoopback(address.baseUrl)) throw error
    throw new OutOfReach(`${error.message}; does the emulator run there? \`switchhook dev\` starts it`, error)
  })
  process.stdout.write(`${flags.json ? JSON.stringify(accepted.raw.body) : words(accepted)}\n`)
}

function words({ message, status, replayed }: Accepted): string {
  const again = replayed ? '; it was sent under this key before, and not once more' : ''
  return `${message.id}  accepted${status === undefined ? '' : `, ${status}`}${again}`
}
