import type { Happening } from '../../wire/types.ts'
import type { Messages } from './messages.ts'
import type { NewRow, Outcome } from './row.ts'

type ApiHappening = Extract<Happening, { kind: 'api' }>

/** What became of an answer on its way, as a fault demanded: as short as a row is, and in full. */
const SPOILT: Readonly<Record<string, readonly [short: string, full: string]>> = {
  cut: ['cut off', 'the connection was closed without an answer'],
  reset: ['reset', 'the connection was reset without an answer'],
  half: ['half', 'the connection was closed in the middle of the answer'],
  never: ['no answer', 'there was never an answer'],
}

/** A call of the API by the app. */
export function rowOfCall(happening: ApiHappening, messages: Messages): Omit<NewRow, 'number'> {
  const { id, at, call, method, path, status, code, tookMs, customer, spoilt } = happening
  const message = messages.ofCall(call)
  const detail = [code, messages.preview(message)].filter((part) => typeof part === 'string').join(' · ')
  return {
    id,
    at,
    kind: 'call',
    direction: 'in',
    what: `${method} ${path.replace(/^\/api\/v2(?=\/)/, '')}`,
    ...(detail !== '' && { detail }),
    outcome: outcomeOf(status, spoilt),
    tookMs,
    status,
    call,
    ...(code !== null && { code }),
    ...(customer !== null && { customer }),
    ...(message !== undefined && { message }),
  }
}

function outcomeOf(status: number, spoilt: string | undefined): Outcome {
  if (spoilt !== undefined) {
    const [short, full] = SPOILT[spoilt] ?? [spoilt, spoilt]
    // A send that was not accepted had no status either.
    return { words: status < 400 ? `${status} ${short}` : short, title: full, tone: 'warn' }
  }
  return { words: String(status), tone: status < 400 ? 'good' : 'bad' }
}
