import { setTimeout as sleep } from 'node:timers/promises'
import type { AttemptError, AttemptOutcome, DeliveryView } from '../../emulator/deliver/delivery.ts'
import { EXIT } from './exit.ts'
import { isSuccess } from './http.ts'
import type { Io } from './io.ts'
import type { Control } from './running-emulator.ts'

export interface Outcome {
  readonly event: string
  readonly id: string
  /** The receiver's address; absent before the first attempt. */
  readonly url?: string
  /** The status of the answer; null without an answer, and then `error` gives the reason. */
  readonly status: number | null
  readonly error?: AttemptError | 'not_yet'
  readonly ms?: number | undefined
  /** The armed fault that spoilt the delivery, or took its answer. */
  readonly fault?: string | undefined
  /** The delivery is tampered with or too old, so a receiver must refuse it. */
  readonly mustBeRefused?: boolean
}

const ERROR_TEXTS: Readonly<Record<NonNullable<Outcome['error']>, string>> = {
  timeout: 'no answer in time',
  connection_refused: 'nothing listens there',
  connection_failed: 'the connection failed',
  answer_lost: 'the answer was lost: you armed `lose_answer`',
  not_yet: 'not delivered yet: it waits behind others, or a fault holds it',
}

/** Prints an outcome on stdout. In JSON, `ok` says whether the receiver did what it must. */
export function printOutcome(io: Io, told: Outcome, { json = false }: { readonly json?: boolean }): void {
  const { mustBeRefused: _, ...about } = told
  io.out(json ? JSON.stringify({ ...about, ok: isAsExpected(told) }) : outcomeText(told))
}

function outcomeText(told: Outcome): string {
  const { event, id, status, error = 'connection_failed', ms, mustBeRefused = false } = told
  const answer = status === null ? ERROR_TEXTS[error] : `${status}${ms === undefined ? '' : ` (${ms} ms)`}`
  const verdict = isAsExpected(told) ? ', as it must' : ', and it must refuse this'
  return `${event}  [${id}]  ${answer}${mustBeRefused && status !== null ? verdict : ''}`
}

/** Explains on stderr why genuine deliveries were not accepted, each reason once. */
export function printFailures(io: Io, all: readonly Outcome[]): void {
  const reasons = all.flatMap(({ url, status, error, fault, mustBeRefused }) =>
    mustBeRefused || url === undefined || isSuccess(status)
      ? []
      : [deliveryProblem(url, { status, error: error as AttemptError, fault })],
  )
  for (const reason of new Set(reasons)) io.err(`Not delivered: ${reason}`)
}

export function exitCodeFor(all: readonly Outcome[]): number {
  return all.every(isAsExpected) ? EXIT.done : EXIT.failed
}

/** A receiver must accept genuine deliveries and refuse all others. */
function isAsExpected({ status, mustBeRefused = false }: Outcome): boolean {
  return mustBeRefused ? status !== null && status >= 400 && status <= 499 : isSuccess(status)
}

/**
 * A command waits so long for a first attempt: one may take 10 s, and a delivery that takes longer is held back by a
 * fault.
 */
const PATIENCE_MS = 12_000

const LOOK_EVERY_MS = 40

/** Waits for the first attempt of each of these deliveries of the emulator, and returns their outcomes. */
export async function firstAttempts(emulator: Control, ids: readonly string[]): Promise<Outcome[]> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
    const mine = items.filter(({ id }) => ids.includes(id))
    if (mine.every(({ attempts, state }) => attempts.length > 0 || state !== 'pending') || performance.now() > until)
      return mine.map(outcomeOf)
    await sleep(LOOK_EVERY_MS)
  }
}

function outcomeOf({ id, event, attempts: [first] }: DeliveryView): Outcome {
  if (first === undefined) return { event, id, status: null, error: 'not_yet' }
  const { status, error, fault, tookMs, request } = first
  return { event, id, url: request.url, status, ...(error !== undefined && { error }), ms: tookMs, fault }
}

/** Why a delivery was not accepted, and what may help. */
export function deliveryProblem(
  url: string,
  { status, error, fault }: Pick<AttemptOutcome, 'status'> & { error?: AttemptError; fault?: string | undefined },
): string {
  if (status === null) return withoutAnswer(url, error)
  // Only a signature is spoilt by a fault, so another status has another cause.
  return status === 401 && fault !== undefined
    ? `401 from ${url}, as it must: you armed \`${fault}\``
    : withStatus(url, status)
}

function withoutAnswer(url: string, error: AttemptError | undefined): string {
  if (error === 'connection_refused') return `ECONNREFUSED ${url}; does the app listen there? --webhook names another`
  if (error === 'timeout') return `no answer in time from ${url}`
  if (error === 'answer_lost') return `the answer of ${url} was lost: you armed \`lose_answer\``
  const maybe = url.startsWith('https:') ? '; is its certificate one that Node trusts?' : ''
  return `the connection to ${url} failed${maybe}`
}

function withStatus(url: string, status: number): string {
  if (status === 404) return `404 from ${url}; is that its path? --webhook names another`
  if (status === 401) return `401 from ${url}; does the app read SWITCHHOOK_SIGNING_SECRET of its environment?`
  return `${status} from ${url}; the app's own lines may say why`
}
