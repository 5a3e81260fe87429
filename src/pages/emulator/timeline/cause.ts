import { TIMESTAMP_TOLERANCE_SECONDS } from '../../../service/delivery.ts'
import type { Attempt, Signature } from '../wire/wire-types.ts'

const BY_ERROR: Readonly<Record<string, string>> = {
  connection_refused: 'Nothing listens at this address. Start the app, or register the address where it runs.',
  timeout: 'The app gave no answer in time. It should answer first and work afterwards.',
  answer_lost:
    'A fault removed the answer. The service sends the delivery again, and the app must not handle it twice.',
}

const CONNECTION_BROKE =
  'The connection broke before there was an answer: the app crashed or stopped, the host name is wrong, or http met https.'

export function explainAttempt(attempt: Attempt, signature: Signature): string | undefined {
  const { status, error = '', response } = attempt
  if (status === null) return BY_ERROR[error] ?? CONNECTION_BROKE
  if (status >= 200 && status <= 299) return explainAccepted(signature)
  if (status >= 300 && status <= 399)
    return `The app redirects to ${response?.headers['location'] ?? 'another address'}. Register that address: the service does not follow redirects.`
  if (status === 401) return explainUnauthorized(attempt, signature)
  if (response?.body.includes('body_already_parsed'))
    return 'A parser read the body before the receiver. Mount the receiver before express.json(), or keep the bytes with keepRawBody.'
  if (status === 404)
    return 'The app runs and has no receiver at this path. Mount the receiver there, or register its real path.'
  if (status >= 500) return `The app failed with ${status} before it answered. Its log contains the error.`
  return `The app answered ${status}, and only a 2xx counts as accepted. Check its log.`
}

/** Explains why the app should have refused a delivery that it accepted. Nothing else shows this mistake. */
function explainAccepted(signature: Signature): string | undefined {
  if (signature.sent !== signature.expected)
    return 'The app accepted a wrong signature. It does not verify signatures, or it still trusts an old secret: anybody could write to it as the service.'
  if (isStale(signature))
    return `The app accepted a delivery that was signed ${skewText(signature)}. It does not check the time: anybody who recorded a delivery could send it again.`
  return undefined
}

function explainUnauthorized({ fault }: Attempt, signature: Signature): string {
  if (fault !== undefined)
    return `You armed the fault “${fault.replaceAll('_', ' ')}”, which made the signature or its time wrong. The app is right to refuse it.`
  if (signature.sent !== signature.expected)
    return 'The signature does not match: the delivery was changed in transit, or signed with an older secret than the endpoint has now. The app is right to refuse it.'
  if (isStale(signature))
    return `It was signed ${skewText(signature)}, and ${TIMESTAMP_TOLERANCE_SECONDS} s are allowed. The app is right to refuse it.`
  return 'The signature is right, so the app has another secret, or a parser rewrote the body before the receiver read it. Compare SWITCHHOOK_SIGNING_SECRET with the secret from the registration, and mount the receiver before any parser.'
}

export function isStale({ skewSeconds }: Signature): boolean {
  return Math.abs(skewSeconds) > TIMESTAMP_TOLERANCE_SECONDS
}

export function skewText({ skewSeconds }: Signature): string {
  if (skewSeconds === 0) return 'in the same second'
  return skewSeconds < 0 ? `${-skewSeconds} s before it was sent` : `${skewSeconds} s ahead of the time`
}
