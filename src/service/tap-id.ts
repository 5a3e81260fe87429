/** An id of `tap()`: `~name.params`, and when sent `~name.params.issued.signature`. `params`: JSON in base64url. */
const UNSIGNED = /^~([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/
const SIGNED = /^~([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{16})$/

/** The most characters that a signature adds to an id. */
export const TAP_SIGNATURE_CHARACTERS = 27

export const TAP_NAME = /^[A-Za-z0-9_-]{1,32}$/

export function isUnsignedTap(id: string): boolean {
  return UNSIGNED.test(id)
}

/** The text that is signed. `issued`: in seconds. */
export function withIssueTime(id: string, issued: number): string {
  return `${id}.${issued.toString(36)}`
}

/** Returns an id as the app passed it, without the time of issue and the signature. */
export function withoutSignature(id: string): string {
  const parts = signedTapParts(id)
  return parts ? `~${parts.name}.${parts.params}` : id
}

/** `body` is the signed text, and `issued` is in seconds. */
export function signedTapParts(
  id: string,
): { name: string; params: string; issued: number; body: string; signature: string } | undefined {
  const match = SIGNED.exec(id)
  if (!match) return undefined
  const [, name = '', params = '', issued = '', signature = ''] = match
  return { name, params, issued: Number.parseInt(issued, 36), body: id.slice(0, -signature.length - 1), signature }
}

/** An id of the send's key and a digest of the app's own id. It is shorter than the service's limit. */
const WIRED = /^(sh1_[A-Za-z0-9_-]{43})\.([0-9a-z]{13})$/

/** The id that is sent for an option if a tap must also show to which message it belongs. */
export function wireId(key: string, id: string): string {
  return `${key}.${digestOf(id)}`
}

export function wiredKey(id: string): string | undefined {
  return WIRED.exec(id)?.[1]
}

/** True if `shown`, the id on a phone, stands for the app's option `id`. */
export function isOption(shown: string, id: string): boolean {
  return shown === id || withoutSignature(shown) === id || WIRED.exec(shown)?.[2] === digestOf(id)
}

/** FNV-1a of 64 bits is enough for the few options of one message. */
function digestOf(id: string): string {
  let digest = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(withoutSignature(id)))
    digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 0x100000001b3n)
  return digest.toString(36).padStart(13, '0')
}

/** Marks an option that `tap()` made. A copy keeps the mark, and no JSON can contain it. */
const MADE_BY_TAP = Symbol.for('switchhook.tap')

export function markTap<O extends { readonly id: string }>(option: O): O {
  return { ...option, [MADE_BY_TAP]: option.id }
}

export function isMadeByTap(option: object, id: string): boolean {
  return (option as { [MADE_BY_TAP]?: unknown })[MADE_BY_TAP] === id
}
