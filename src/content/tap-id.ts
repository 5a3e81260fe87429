/**
 * The ids of options that `tap()` makes: `~name.params`, and on their way out `~name.params.issued.signature`, so that
 * an id that comes back is one that this bot gave to this customer. Parameters are JSON in base64url.
 */
const UNSIGNED = /^~([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/
const SIGNED = /^~([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{16})$/

/** Signing makes an id longer by at most this. */
export const TAP_SIGNATURE_CHARACTERS = 27

export const TAP_NAME = /^[A-Za-z0-9_-]{1,32}$/

export function isUnsignedTap(id: string): boolean {
  return UNSIGNED.test(id)
}

/** The signed text: an unsigned id with the time of issue, in seconds. */
export function withIssueTime(id: string, issued: number): string {
  return `${id}.${issued.toString(36)}`
}

/** An id as the app gave it: of a signed one, without the time of issue and the signature. */
export function withoutSignature(id: string): string {
  const parts = signedTapParts(id)
  return parts ? `~${parts.name}.${parts.params}` : id
}

/** A signed id in its parts, of which `body` was signed; `issued` in seconds. */
export function signedTapParts(
  id: string,
): { name: string; params: string; issued: number; body: string; signature: string } | undefined {
  const match = SIGNED.exec(id)
  if (!match) return undefined
  const [, name = '', params = '', issued = '', signature = ''] = match
  return { name, params, issued: Number.parseInt(issued, 36), body: id.slice(0, -signature.length - 1), signature }
}
