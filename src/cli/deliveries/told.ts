import type { AttemptError } from '../../emulator/deliver/delivery.ts'
import { whyNot } from '../dev/undelivered.ts'
import { EXIT } from '../exit.ts'
import { isSuccess } from '../success.ts'

/** What became of one delivery. */
export interface Told {
  readonly event: string
  readonly id: string
  /** Where it went; absent where it did not go yet. */
  readonly url?: string
  /** What was answered; null where nothing was, and `error` says why. */
  readonly status: number | null
  readonly error?: AttemptError | 'not_yet'
  readonly ms?: number | undefined
  /** It is not genuine, or too old: a receiver must refuse it. */
  readonly mustBeRefused?: boolean
}

const WHY: Readonly<Record<NonNullable<Told['error']>, string>> = {
  timeout: 'no answer in time',
  connection_refused: 'nothing listens there',
  connection_failed: 'the connection failed',
  answer_lost: 'the answer was lost, as a fault demands',
  not_yet: 'not delivered yet: it waits behind others, or a fault holds it',
}

/** Prints a delivery's outcome, as data; `ok` says whether that is as it must be. */
export function tell(told: Told, { json = false }: { readonly json?: boolean }): void {
  const { mustBeRefused: _, ...about } = told
  process.stdout.write(`${json ? JSON.stringify({ ...about, ok: isAsItMust(told) }) : words(told)}\n`)
}

function words(told: Told): string {
  const { event, id, status, error = 'connection_failed', ms, mustBeRefused = false } = told
  const answer = status === null ? WHY[error] : `${status}${ms === undefined ? '' : ` (${ms} ms)`}`
  const verdict = isAsItMust(told) ? ', as it must' : ', and it must refuse this'
  return `${event}  [${id}]  ${answer}${mustBeRefused && status !== null ? verdict : ''}`
}

/** Says to people why genuine deliveries were not taken, each reason once. */
export function explain(all: readonly Told[]): void {
  const reasons = all.flatMap(({ url, status, error, mustBeRefused }) =>
    mustBeRefused || url === undefined || isSuccess(status) ? [] : [whyNot(url, status, error as AttemptError)],
  )
  for (const reason of new Set(reasons)) process.stderr.write(`Not delivered: ${reason}\n`)
}

export function exitCodeFor(all: readonly Told[]): number {
  return all.every(isAsItMust) ? EXIT.done : EXIT.failed
}

/** What is genuine must be taken, and what is not must be refused. */
function isAsItMust({ status, mustBeRefused = false }: Told): boolean {
  return mustBeRefused ? status !== null && status >= 400 && status <= 499 : isSuccess(status)
}
