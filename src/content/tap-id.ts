/**
 * The ids of options that `tap()` makes: `~name.params`, and on their way out `~name.params.issued.seal`, so that an
 * id that comes back is one that this bot gave to this customer. Parameters are JSON in base64url.
 */
const UNSEALED = /^~([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/
const SEALED = /^~([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{16})$/

/** What sealing adds to an id at most. */
export const SEAL_CHARACTERS = 27

export const TAP_NAME = /^[A-Za-z0-9_-]{1,32}$/

export function isUnsealed(id: string): boolean {
  return UNSEALED.test(id)
}

/** A sealed id in its parts; `issued` in seconds. */
export function partsOf(
  id: string,
): { name: string; params: string; issued: number; body: string; seal: string } | undefined {
  const match = SEALED.exec(id)
  if (!match) return undefined
  const [, name = '', params = '', issued = '', seal = ''] = match
  return { name, params, issued: Number.parseInt(issued, 36), body: id.slice(0, -seal.length - 1), seal }
}

/** What is sealed of an id: itself and the time. */
export function stamped(id: string, issued: number): string {
  return `${id}.${issued.toString(36)}`
}
