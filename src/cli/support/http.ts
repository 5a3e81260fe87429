/** Tells whether the answer is 2xx, so that a delivery was accepted. Null means no answer. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

/** Node's error codes for a certificate that it does not trust. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH)/

/** The advice for an untrusted certificate; undefined if the connection failed for another reason. */
export function certificateFix(code: string | undefined): string | undefined {
  if (code === undefined || !UNTRUSTED.test(code)) return undefined
  return 'the service would refuse it too; for a test name it in NODE_EXTRA_CA_CERTS'
}

/**
 * Reads the emulator's server-sent events, each with one line of data, until the stream ends. Yields undefined for an
 * event without data: the greeting or a heartbeat.
 */
export async function* readEventData({ body }: Response): AsyncGenerator<string | undefined, void, void> {
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = `${text}${chunk}`.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) yield /^data: (.*)$/m.exec(frame)?.[1]
  }
}
