/** What Node says where an address answers with a certificate that it does not trust, and why. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH)/

/** How an untrusted certificate is mended; undefined where a connection failed for another reason. */
export function mendOfCertificate(code: string | undefined): string | undefined {
  if (code === undefined || !UNTRUSTED.test(code)) return undefined
  return 'the service would refuse it too; for a test name it in NODE_EXTRA_CA_CERTS'
}
