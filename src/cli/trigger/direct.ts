import { createIds } from '../../emulator/model/ids.ts'
import { posted } from '../deliveries/post.ts'
import { needSecret, prefixFrom, type ReceiverFlags, readReceiver } from '../deliveries/receiver.ts'
import { signedRequest } from '../deliveries/signed.ts'
import type { Told } from '../deliveries/told.ts'
import type { Payload } from './payload.ts'

/** Signs deliveries of their own ids and posts them, one after the other. */
export async function postTo(address: string, payloads: readonly Payload[], flags: ReceiverFlags): Promise<Told[]> {
  const url = readReceiver(address, '--url', flags)
  const [secret, prefix] = [needSecret(flags), prefixFrom(flags)]
  const ids = createIds(Math.random)
  const told: Told[] = []
  for (const { event, body } of payloads) {
    const at = Date.now()
    const id = ids.delivery(at)
    told.push({ event, id, url, ...(await posted(signedRequest({ url, event, id, body, secret, at, prefix }))) })
  }
  return told
}
