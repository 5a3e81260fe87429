import { useComputed } from '@preact/signals'
import { memo } from '../parts/memo.ts'
import { timeOfDay } from '../parts/time.ts'
import { openMessage, selectedMessage } from '../state/view.ts'
import { offeredIn, tappedIn } from '../wire/interactive.ts'
import type { ShownCode, ThreadItem } from '../wire/types.ts'
import { BubbleMenu } from './bubble-menu.tsx'
import { CodeCard } from './code-card.tsx'
import { Ghost } from './ghost.tsx'
import { MediaCard } from './media-card.tsx'
import { Offer } from './offer.tsx'
import { TemplateHead } from './template-head.tsx'
import { Ticks } from './ticks.tsx'

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

function Content({ item, code }: Pick<BubbleProps, 'item' | 'code'>) {
  if (code) return <CodeCard item={item} code={code} />
  const tapped = tappedIn(item)
  const footer = offeredIn(item)?.footer
  return (
    <>
      {item.template && <TemplateHead template={item.template} />}
      {item.media && <MediaCard media={item.media} />}
      {tapped && (
        <p class="tapped">
          Tapped “<bdi>{tapped.title}</bdi>”
        </p>
      )}
      {!tapped && item.text !== null && item.text !== '' && (
        <p class="text" dir="auto">
          {item.text}
        </p>
      )}
      {footer !== undefined && (
        <p class="muted small" dir="auto">
          {footer}
        </p>
      )}
    </>
  )
}

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
