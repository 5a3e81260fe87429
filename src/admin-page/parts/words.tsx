import { formatDateTime, formatSpan } from '../../ui/text/time.ts'

/** The colours of states: what needs a person is bad or a warning, what is done is quiet. */
const TONES: Readonly<Record<string, string>> = {
  dead: 'bad',
  parked: 'warn',
  quarantined: 'warn',
  conflict: 'warn',
  suspected_replay: 'warn',
  refused: 'bad',
  unknown: 'warn',
  held: 'warn',
  running: 'info',
  waiting: 'info',
  stored: 'info',
  retry: 'warn',
  pending: 'info',
  ready: 'info',
  attempting: 'info',
  scheduled: 'info',
  done: 'good',
  accepted: 'good',
}

export function State({ name, count = 1 }: { name: string; count?: number }) {
  return (
    <span class={`state ${TONES[name] ?? ''}`}>
      {name.replaceAll('_', ' ')}
      {count > 1 && ` × ${count}`}
    </span>
  )
}

export function States({ states }: { states: Readonly<Record<string, number>> }) {
  return (
    <span class="states">
      {Object.entries(states).map(([name, count]) => (
        <State key={name} name={name} count={count} />
      ))}
    </span>
  )
}

/** A time, and how long ago it was. */
export function When({ at }: { at: string | undefined }) {
  if (at === undefined) return <span class="muted">–</span>
  return <time dateTime={at}>{formatDateTime(at)}</time>
}

/** `5 min ago`, in the units that a reader needs. */
export function Ago({ seconds }: { seconds: number }) {
  return <span class="ago">{seconds < 5 ? 'now' : `${formatSpan(seconds * 1_000)} ago`}</span>
}

/** Counts of what rests, of sends and of conversations go no further than this. */
const MOST_COUNTED = 10_000

/** A count that may have ended before its things did. */
export function counted(count: number): string {
  return `${Math.min(count, MOST_COUNTED).toLocaleString('en')}${count < MOST_COUNTED ? '' : '+'}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** Whose message it is; on a bot of several numbers, on which. */
export function Customer({ customer, number }: { customer?: string | undefined; number?: string | undefined }) {
  return (
    <span class="customer">
      <span class="mono">{customer ?? '–'}</span>
      {number !== undefined && number !== 'default' && <span class="muted"> {number}</span>}
    </span>
  )
}

/** Makes a sentence of words that the commands print in a column. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
