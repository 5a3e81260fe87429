/** Whether an answer is 2xx: to a delivery, that it was taken. Null is no answer. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

/** What Node says where an address answers with a certificate that it does not trust, and why. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH)/

/** How an untrusted certificate is mended; undefined where a connection failed for another reason. */
export function certificateFix(code: string | undefined): string | undefined {
  if (code === undefined || !UNTRUSTED.test(code)) return undefined
  return 'the service would refuse it too; for a test name it in NODE_EXTRA_CA_CERTS'
}

/**
 * Reads server-sent events as the emulator writes them, one line of data each, until they end. What has no data, a
 * greeting or a beat, is undefined.
 */
export async function* readEventData({ body }: Response): AsyncGenerator<string | undefined, void, void> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${text}${chunk}`.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) yield /^data: (.*)$/m.exec(frame)?.[1]
  }
}
