import { withoutSignature } from '../content/index.ts'
import { createTapSigner } from '../outbox/index.ts'
import { TAP_KEY } from './tap-key.ts'

const SIGNED = /~[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]+\.[0-9a-z]{1,9}\.[A-Za-z0-9_-]{16}(?![A-Za-z0-9_-])/g

/** Signs the ids of options in a body by the key of backtests, if they were signed by `key` for one of its customers. */
export function createTapResigner(key: Uint8Array) {
  const recordedSigner = createTapSigner(key)
  const worldSigner = createTapSigner(TAP_KEY)
  return (body: string, holders: readonly { readonly number: string; readonly customer: string }[]): string =>
    body.replaceAll(SIGNED, (id) => {
      for (const holder of holders) {
        const tap = recordedSigner.verify(id, holder)
        if (!tap) continue
        const signed = worldSigner.sign(JSON.stringify({ id: withoutSignature(id) }), holder, tap.issuedAt)
        return (JSON.parse(signed) as { id: string }).id
      }
      return id
    })
}
