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
