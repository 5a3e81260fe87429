import type { Happening } from '../../wire/types.ts'
import type { Messages } from './messages.ts'
import type { NewRow, Outcome } from './row.ts'

type ApiHappening = Extract<Happening, { kind: 'api' }>

/** What became of an answer on its way, as a fault demanded. */
const SPOILT: Readonly<Record<string, string>> = {
  cut: 'answer cut off',
  reset: 'connection reset',
  half: 'half an answer',
  never: 'no answer',
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
  if (spoilt !== undefined) return { words: `${status} · ${SPOILT[spoilt] ?? spoilt}`, tone: 'warn' }
  return { words: String(status), tone: status < 400 ? 'good' : 'bad' }
}
