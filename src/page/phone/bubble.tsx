import { useComputed } from '@preact/signals'
import { ruleOf } from '../../contract/errors.ts'
import { memo } from '../components/memo.ts'
import { openMessage, selectedMessage } from '../state/view.ts'
import { ruleInWords } from '../text/refusals.ts'
import { timeOfDay } from '../text/time.ts'
import type { ShownCode, ThreadItem } from '../wire/types.ts'
import { Content } from './bubble-content.tsx'
import { BubbleMenu } from './bubble-menu.tsx'
import { Offer } from './offer.tsx'

interface BubbleProps {
  readonly customer: string
  readonly item: ThreadItem
  readonly code: ShownCode | undefined
}

/** One message as the phone shows it; one that was refused as the ghost of itself. */
export const Bubble = memo(function Bubble({ customer, item, code }: BubbleProps) {
  // Of its own, so that a choice draws two bubbles anew and not all of them.
  const isSelected = useComputed(() => selectedMessage.value === item.id).value
  const classes = ['bubble', sideOf(item), item.refused ? 'ghost' : '', isSelected ? 'selected' : '']
  return (
    <article class={classes.join(' ')} data-message={item.id} aria-label={`${authorOf(item)}, ${timeOfDay(item.at)}`}>
      <header class="said-by">
        <span>{authorOf(item)}</span>
        {item.number !== undefined && <span class="muted">number {item.number}</span>}
        <span class="fill" />
        <BubbleMenu customer={customer} item={item} />
      </header>
      <Content item={item} code={code} />
      {item.refused && <Ghost refused={item.refused} />}
      <footer>
        <button type="button" class="link" onClick={() => openMessage(item.id)} title="What led to it, on the timeline">
          <time dateTime={item.at}>{timeOfDay(item.at)}</time>
        </button>
        {item.direction === 'OUTBOUND' && !item.refused && <Ticks item={item} />}
      </footer>
      {!item.refused && item.direction === 'OUTBOUND' && <Offer customer={customer} item={item} />}
    </article>
  )
})

function sideOf({ direction, by }: ThreadItem): string {
  return `from-${direction === 'INBOUND' ? 'customer' : (by ?? 'app')}`
}

function authorOf({ direction, by, refused, template }: ThreadItem): string {
  if (direction === 'INBOUND') return 'Customer'
  if (by === 'agent') return 'AI agent'
  if (by === 'dashboard') return 'Person in the dashboard'
  if (refused) return 'Never arrived'
  return template ? 'Your app, by template' : 'Your app'
}

type Progress = 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'waiting'

const PATHS: Readonly<Record<Progress, string>> = {
  waiting: 'M8 4v4l3 2M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0',
  sent: 'M3 8.5l3.5 3.5L13 4.5',
  delivered: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  read: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  played: 'M8 1.5a2 2 0 0 1 2 2V8a2 2 0 0 1-4 0V3.5a2 2 0 0 1 2-2M3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15',
  failed: 'M8 3.5V9M8 12v.5',
}

/** How far a message came: in a word and a sign, since colours are not seen by all. */
export function Ticks({ item }: { item: ThreadItem }) {
  const progress = progressOf(item.status)
  return (
    <span class={`ticks ${progress}`} title={item.failureReason}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={PATHS[progress]} />
      </svg>
      {progress === 'waiting' ? 'accepted' : progress}
      {item.failureReason !== undefined && `: ${item.failureReason}`}
    </span>
  )
}

/** The service writes a status in either case. */
function progressOf(status: string | null): Progress {
  const known = status?.toLowerCase()
  return known !== undefined && Object.hasOwn(PATHS, known) ? (known as Progress) : 'waiting'
}

const RETRY = {
  no: 'A retry does not help.',
  backoff: 'A retry helps: with back-off and the same key.',
  pause: 'A retry helps: after a short pause, with the same key.',
  cautious: 'A retry may help: a few attempts, with the same key.',
} as const

/** Why a message never arrived: what nobody else shows. */
export function Ghost({ refused }: { refused: NonNullable<ThreadItem['refused']> }) {
  const { status, code, message } = refused
  const rule = ruleInWords(code)
  return (
    <div class="refusal">
      <p>
        <b class="chip bad">
          ✕ {status} {code}
        </b>
      </p>
      <p>{message}</p>
      {rule !== undefined && (
        <p class="small">
          {rule.words} <span class="muted">({rule.rule})</span>
        </p>
      )}
      <p class="small">
        <b>{RETRY[ruleOf(status, code ?? undefined).retry]}</b>
      </p>
    </div>
  )
}
