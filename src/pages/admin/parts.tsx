import type { ComponentChildren } from 'preact'
import { formatDateTime, formatSpan } from '../ui/text/time.ts'
import { NoAnswer, Reveal, useShown } from './shown.tsx'

const TONES: Readonly<Record<string, readonly string[]>> = {
  bad: ['dead', 'refused', 'failed'],
  warn: ['parked', 'quarantined', 'conflict', 'suspected_replay', 'unknown', 'held', 'paused', 'doubtful', 'retry'],
  info: ['running', 'storing', 'waiting', 'stored', 'pending', 'ready', 'attempting', 'scheduled'],
  good: ['done', 'accepted', 'sent', 'delivered', 'read', 'played'],
}

export function toneOf(state: string): string {
  const [tone = ''] = Object.entries(TONES).find(([, names]) => names.includes(state)) ?? []
  return tone
}

export function State({ name, count = 1 }: { name: string; count?: number }) {
  return (
    <span class={`chip ${toneOf(name)}`}>
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

export function When({ at }: { at: string | undefined }) {
  if (at === undefined) return <span class="muted">–</span>
  return <time dateTime={at}>{formatDateTime(at)}</time>
}

export function Due({ what = '', at }: { what?: string; at: string | undefined }) {
  if (at === undefined) return <span class="ago">–</span>
  const ms = Date.parse(at) - Date.now()
  return (
    <span class="ago" title={formatDateTime(at)}>
      {what}
      {ms <= 0 ? 'due' : `in ${formatSpan(ms)}`}
    </span>
  )
}

interface TileProps {
  readonly title: string
  readonly value: number | string
  readonly hint?: string
  readonly href?: string
  readonly tone?: string
}

export function Tile({ title, value, hint, href, tone = '' }: TileProps) {
  const content: ComponentChildren = (
    <>
      <span class="muted small">{title}</span>
      <b>{typeof value === 'number' ? value.toLocaleString('en') : value}</b>
      {hint !== undefined && <span class="muted small">{hint}</span>}
    </>
  )
  if (href === undefined) return <div class={`tile card ${tone}`}>{content}</div>
  return (
    <a class={`tile card ${tone}`} href={href}>
      {content}
    </a>
  )
}

/** The server stops counting at this number. */
const MOST_COUNTED = 10_000

export function counted(count: number): string {
  return `${Math.min(count, MOST_COUNTED).toLocaleString('en')}${count < MOST_COUNTED ? '' : '+'}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

export function Customer({ customer, number }: { customer?: string | undefined; number?: string | undefined }) {
  return (
    <span class="customer">
      <span class="mono">{customer ?? '–'}</span>
      {number !== undefined && number !== 'default' && <span class="muted"> {number}</span>}
    </span>
  )
}

/** The server's texts begin in lower case and have no full stop, because the command line prints them in a column. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

interface DetailsProps<T> {
  readonly path: string
  readonly title: string
  readonly actions?: (value: T) => ComponentChildren
  readonly children: (value: T) => ComponentChildren
}

export function Details<T>({ path, title, actions, children }: DetailsProps<T>) {
  const { value, problem } = useShown<T>(path)
  return (
    <div class="scroll details">
      <div class="page-head line">
        <h2>{title}</h2>
        <span class="fill" />
        <Reveal path={path} />
        {value !== undefined && actions?.(value)}
      </div>
      {value === undefined ? <NoAnswer problem={problem} /> : children(value)}
    </div>
  )
}
