import { deliveryHeaders } from '../../contract/delivery.ts'
import { altered } from '../../emulator/deliver/signed-request.ts'
import type { DeliveryRequest } from '../../emulator/deliver/delivery.ts'
import type { Snapshot } from '../../emulator/index.ts'
import type { Control } from '../control.ts'
import { posted } from '../deliveries/post.ts'
import { needSecret, prefixFrom, type ReceiverFlags, readReceiver, secretFrom } from '../deliveries/receiver.ts'
import { signedRequest } from '../deliveries/signed.ts'
import type { Told } from '../deliveries/told.ts'
import { type How, isStale, type Original, timestampIn } from './original.ts'

/** To another receiver: signed here, by the secret that is given, else by that of the emulator's subscription. */
export async function directly(
  found: readonly Original[],
  how: How,
  flags: ReceiverFlags & { readonly to: string },
  emulator: Control | undefined,
): Promise<readonly (() => Promise<Told>)[]> {
  const url = readReceiver(flags.to, '--to', flags)
  const prefix = prefixFrom(flags)
  const secret = how.exact ? '' : (secretFrom(flags) ?? (emulator && (await secretOf(emulator))) ?? needSecret(flags))
  return found.map((original) => async () => {
    const request = how.exact
      ? exactly(original, url, how, prefix)
      : signedRequest({ ...original, url, secret, at: Date.now() + how.offsetMs, prefix, tamper: how.tamper })
    const mustBeRefused = how.tamper !== undefined || isStale(timestampIn(request.headers))
    return { event: original.event, id: original.id, url, ...(await posted(request)), mustBeRefused }
  })
}

function exactly({ id, request }: Original, url: string, { tamper }: How, prefix: string): DeliveryRequest {
  if (request === undefined) throw new Error(`delivery ${id} was not attempted yet, so there is nothing to repeat`)
  const { headers, body } = request
  return altered({ url, headers, body: Buffer.from(body) }, deliveryHeaders(prefix), { tamper })
}

async function secretOf(emulator: Control): Promise<string | undefined> {
  const { subscriptions } = await emulator.get<Snapshot>('state')
  return subscriptions[0]?.secret
}
