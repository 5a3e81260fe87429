import type { Credentials } from '../../emulator/control/account.ts'
import { deliveryHeaders } from '../../contract/delivery.ts'
import type { AttemptView, DeliveryRequest } from '../../emulator/deliver/delivery.ts'
import { alterRequest } from '../../emulator/deliver/signed-request.ts'
import {
  needSecret,
  type Outcome,
  postDelivery,
  prefixFrom,
  readReceiver,
  type ReceiverFlags,
  secretFrom,
  signedRequest,
} from '../support/deliveries.ts'
import type { Control } from '../support/emulator.ts'
import type { Io } from '../support/io.ts'
import { isStale, type RecordedDelivery, type ReplayOptions, timestampIn } from './find.ts'

/** Lets the emulator deliver again to the same address. */
export async function redeliver(
  emulator: Control,
  { id, event }: RecordedDelivery,
  how: ReplayOptions,
): Promise<Outcome> {
  const { exact, tamper, offset } = how
  const { attempt } = await emulator.change<{ attempt: AttemptView }>('POST', `deliveries/${id}/redeliver`, {
    ...(exact && { exact }),
    ...(tamper !== undefined && { tamper }),
    ...(offset !== undefined && { timestampOffset: offset }),
  })
  const { status, error, tookMs } = attempt
  const mustBeRefused = tamper !== undefined || isStale(timestampIn(attempt.request.headers))
  return {
    event,
    id,
    url: attempt.request.url,
    status,
    ...(error !== undefined && { error }),
    ms: tookMs,
    mustBeRefused,
  }
}

/** To another receiver: signed here, by the secret that is given, else by that of the emulator's subscription. */
export async function postRecorded(
  io: Io,
  found: readonly RecordedDelivery[],
  how: ReplayOptions,
  flags: ReceiverFlags & { readonly to: string },
  emulator: Control | undefined,
): Promise<readonly (() => Promise<Outcome>)[]> {
  const url = readReceiver(flags.to, '--to', flags)
  const prefix = prefixFrom(io, flags)
  const secret = how.exact
    ? ''
    : (secretFrom(io, flags) ?? (emulator && (await secretOf(emulator))) ?? needSecret(io, flags))
  return found.map((original) => async () => {
    const request = how.exact
      ? exactly(original, url, how, prefix)
      : signedRequest({ ...original, url, secret, at: Date.now() + how.offsetMs, prefix, tamper: how.tamper })
    const mustBeRefused = how.tamper !== undefined || isStale(timestampIn(request.headers))
    return { event: original.event, id: original.id, url, ...(await postDelivery(request)), mustBeRefused }
  })
}

function exactly(
  { id, request }: RecordedDelivery,
  url: string,
  { tamper }: ReplayOptions,
  prefix: string,
): DeliveryRequest {
  if (request === undefined) throw new Error(`delivery ${id} was not attempted yet, so there is nothing to repeat`)
  const { headers, body } = request
  return alterRequest({ url, headers, body: Buffer.from(body) }, deliveryHeaders(prefix), { tamper })
}

async function secretOf(emulator: Control): Promise<string | undefined> {
  const { signingSecret } = await emulator.get<Credentials>('credentials')
  return signingSecret ?? undefined
}
