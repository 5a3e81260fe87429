import { TIMESTAMP_TOLERANCE_SECONDS } from '../../contract/delivery.ts'
import { parseJson } from '../../ui/text/json.ts'
import type { Attempt, Signature } from '../wire/types.ts'

/** An attempt whose outcome is explained. */
export interface Case {
  readonly attempt: Attempt
  readonly signature: Signature
  /** The body of another attempt of the same delivery, if it differs. */
  readonly otherBody?: string | undefined
}

/** Explains the likely cause of an outcome and its remedy; undefined if all is well. */
export function explainAttempt(observed: Case): string | undefined {
  const { status, error } = observed.attempt
  if (status === null) return explainSilence(observed.attempt, error)
  if (status >= 200 && status <= 299) return explainAccepted(observed)
  if (status >= 300 && status <= 399) return explainRedirect(observed.attempt)
  return (BY_STATUS[status] ?? (status >= 500 ? explainServerError : explainRefusal))(observed)
}

function explainSilence({ request: { url }, tookMs }: Attempt, error: string | undefined): string {
  switch (error) {
    case 'connection_refused':
      return `Nothing listens at ${originOf(url)}. Start the app, or register the address where it runs.`
    case 'timeout':
      return `The app gave no answer within ${Math.round(tookMs / 1_000)} s. It should answer first and work afterwards.`
    case 'answer_lost':
      return 'A fault took the answer away: the app did answer, and the service does not know. It sends the same once more, and the app must do nothing twice.'
    default:
      return `The connection to ${originOf(url)} broke before there was an answer: the app crashed or stopped, the host has no such name, or http met https.`
  }
}

/** Explains an accepted delivery that the app should have refused: the most expensive mistake is silent. */
function explainAccepted({ attempt, signature }: Case): string | undefined {
  if (signature.sent !== signature.expected)
    return 'The app took a delivery whose signature is wrong. It does not verify signatures, or still trusts an old secret: anybody could write to it as the service.'
  if (Math.abs(signature.skewSeconds) > TIMESTAMP_TOLERANCE_SECONDS)
    return `The app took a delivery that was signed ${skewText(signature)}. It does not check the time: whoever records a delivery could send it again.`
  return /"status":\s*"duplicate"/.test(attempt.response?.body ?? '')
    ? 'The app knows this delivery already, and did nothing twice. All is well.'
    : undefined
}

function explainRedirect({ response, request }: Attempt): string {
  const to = response?.headers['location']
  return `The app redirects${to === undefined ? '' : ` to ${to}`}, and redirects are not followed. Register the last address itself; often ${request.url} lacks or has one slash too many.`
}

type Explain = (observed: Case) => string

const BY_STATUS: Readonly<Record<number, Explain>> = {
  400: () =>
    'The app found the request malformed: a parser or a check of its own stands before the receiver. Mount the receiver first.',
  401: explainUnauthorized,
  403: () =>
    'Something before the receiver forbids it: a login, a check for forged forms, or a firewall. Leave this path out of it.',
  404: ({ attempt }) =>
    `The app runs, and has nothing at ${pathOf(attempt.request.url)}. Mount the receiver at that very path, or register the path where it is.`,
  405: ({ attempt }) =>
    `The app has ${pathOf(attempt.request.url)}, but not for POST. Mount the receiver for POST there.`,
  408: () => 'The body came too slowly for the app: something on the way holds it back.',
  413: ({ attempt }) =>
    `The body of ${new TextEncoder().encode(attempt.request.body).length} bytes is larger than the app allows. Raise its limit for this path; a parser or a proxy may have one of its own.`,
  415: () =>
    'The app does not take the body in this form: a parser before the receiver insists on another Content-Type, or a proxy compressed it.',
  429: () =>
    'The app limits how often it is called. Leave this path out of that limit: the service counts each refusal.',
  500: (observed) =>
    observed.attempt.response?.body.includes('body_already_parsed')
      ? 'A parser read the body before the receiver could. Mount the receiver before express.json(), or keep the bytes with keepRawBody.'
      : explainServerError(observed),
  502: explainProxy,
  503: ({ attempt }) =>
    attempt.response?.body.includes('unavailable')
      ? 'The app cannot write to its database, since the disk is full or the file is locked or gone; or it does not have its signing secret yet. It is right to refuse; its log says more.'
      : 'The app says that it is not ready: it starts, stops, or is overloaded. Its log says more.',
  504: explainProxy,
}

function explainProxy(): string {
  return 'A proxy answers for the app, and cannot reach it. Is the app running, and does the proxy know its port?'
}

function explainServerError({ attempt }: Case): string {
  return `The app failed with ${attempt.status} before it had answered: see the error in its log. Work that can fail belongs behind the answer.`
}

function explainRefusal({ attempt }: Case): string {
  return `The app answers ${attempt.status}, and only a 2xx counts as taken. Look at its answer and into its log.`
}

function explainUnauthorized({ attempt, signature, otherBody }: Case): string {
  if (attempt.fault !== undefined)
    return `You armed the fault “${attempt.fault.replaceAll('_', ' ')}”, which spoilt the signature or its time. The app is right to refuse it.`
  if (signature.sent !== signature.expected) return explainSignature(attempt, signature, otherBody)
  if (Math.abs(signature.skewSeconds) > TIMESTAMP_TOLERANCE_SECONDS)
    return `It was signed ${skewText(signature)}, and ${TIMESTAMP_TOLERANCE_SECONDS} s are allowed. The app is right to refuse it: it is stale.`
  const place = reserialisedAt(attempt.request.body)
  const parsed =
    place === undefined
      ? ''
      : `, or it hashes a body that a parser read and wrote again (it then differs from byte ${place} on): mount the receiver before any parser`
  return `The signature is right and fresh, so the app knows another secret${parsed}. Compare its SWITCHHOOK_SIGNING_SECRET with the one that was shown at registration.`
}

/** Finds how a signature became wrong. A change that leaves no trace is taken for another secret. */
function explainSignature({ request: { body } }: Attempt, signature: Signature, otherBody: string | undefined): string {
  const right = 'The app is right to refuse it.'
  if (otherBody !== undefined || (parseJson(body) === undefined && body.endsWith('!')))
    return `The body was changed after it was signed, as the fault “tamper” does. ${right}`
  if (signature.sent.slice(0, -1) === signature.expected.slice(0, -1))
    return `The signature was changed in its last digit, as the fault “tamper” does. ${right}`
  if (signature.skewSeconds === 1)
    return `The timestamp was moved by a second after it was signed, as the fault “tamper” does. ${right}`
  return `It was signed with another secret than the endpoint has now: by the fault “wrong secret”, or before the endpoint was registered again. ${right}`
}

/** Writes the age of a signature: `301 s before it was sent`. */
export function skewText({ skewSeconds }: Signature): string {
  if (skewSeconds === 0) return 'in the same second'
  return skewSeconds < 0 ? `${-skewSeconds} s before it was sent` : `${skewSeconds} s ahead of the time`
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url
}

/** The first index at which two texts differ; undefined if they are equal. */
export function firstDifference(one: string, other: string): number | undefined {
  if (one === other) return undefined
  const length = Math.min(one.length, other.length)
  for (let place = 0; place < length; place++) if (one[place] !== other[place]) return place
  return length
}

/**
 * The index of the first byte that would differ if a parser had read the body and written it again; undefined if none
 * would, or if the body is no JSON.
 */
export function reserialisedAt(body: string): number | undefined {
  const value = parseJson(body)
  const place = value === undefined ? undefined : firstDifference(body, JSON.stringify(value))
  return place === undefined ? undefined : new TextEncoder().encode(body.slice(0, place)).length
}
