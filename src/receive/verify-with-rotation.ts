import { explain } from './explain.ts'
import type { IncomingHeaders } from './headers.ts'
import { type KeySource, SecretsUnknown } from './key-source.ts'
import { type Refused, type SignedHeaderNames, type Stale, type Verified, verify } from './verify.ts'

/** What a verdict stands on. */
export interface VerifyDeps {
  readonly keys: KeySource
  readonly names: SignedHeaderNames
  /** On a developer's machine the log says why a delivery was probably refused. */
  readonly explains: boolean
  readonly report: { refused(reason: Refused['reason'], explanation: string | undefined): void }
}

/** Verifies with the live keys. A wrong signature may mean a new secret, so those who know are asked once more. */
export async function verifyWithRotation(
  headers: IncomingHeaders,
  body: Uint8Array,
  arrivedAt: number,
  { keys, names, report, explains }: VerifyDeps,
): Promise<Verified | Refused | Stale> {
  let keyring = await keys.live()
  let verdict = verify(headers, body, keyring, arrivedAt, names)
  if (!verdict.ok && verdict.reason === 'mismatch') {
    const renewed = await keys.renewed(arrivedAt)
    if (renewed) {
      keyring = renewed
      verdict = verify(headers, body, keyring, arrivedAt, names)
    }
  }
  if (!verdict.ok && verdict.reason === 'mismatch' && !keys.complete())
    throw new SecretsUnknown('the signing secrets of some number are not known yet, so this signature may be right')
  if (!verdict.ok) {
    const { reason } = verdict
    report.refused(reason, explains ? explain({ headers, body, keyring, names, now: arrivedAt, reason }) : undefined)
  }
  return verdict
}
