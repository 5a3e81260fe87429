import type { AttemptError } from '../../emulator/deliver/delivery.ts'
import { whyNot } from '../dev/undelivered.ts'
import { EXIT } from '../exit.ts'

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

/** Prints a delivery's outcome, as data. */
export function tell(told: Told, { json = false }: { readonly json?: boolean }): void {
  const { mustBeRefused: _, ...about } = told
  process.stdout.write(`${json ? JSON.stringify(about) : words(told)}\n`)
}

function words({ event, id, status, error, ms, mustBeRefused }: Told): string {
  const answer =
    status === null ? WHY[error ?? 'connection_failed'] : `${status}${ms === undefined ? '' : ` (${ms} ms)`}`
  const verdict =
    mustBeRefused && status !== null ? (isTaken(status) ? ', and it must refuse this' : ', as it must') : ''
  return `${event}  [${id}]  ${answer}${verdict}`
}

/** Says to people why genuine deliveries were not taken, each reason once. */
export function explain(all: readonly Told[]): void {
  const reasons = all.flatMap(({ url, status, error, mustBeRefused }) =>
    mustBeRefused || url === undefined || (status !== null && isTaken(status))
      ? []
      : [whyNot(url, status, error as AttemptError)],
  )
  for (const reason of new Set(reasons)) process.stderr.write(`Not delivered: ${reason}\n`)
}

/** Done where what is genuine was taken, and what is not was refused. */
export function exitCodeFor(all: readonly Told[]): number {
  const asItMust = ({ status, mustBeRefused = false }: Told) =>
    status !== null && (mustBeRefused ? status >= 400 && status <= 499 : isTaken(status))
  return all.every(asItMust) ? EXIT.done : EXIT.failed
}

function isTaken(status: number): boolean {
  return status >= 200 && status <= 299
}
