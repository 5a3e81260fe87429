import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { now } from '../state/clock.ts'
import { isLoaded } from '../state/follow.ts'
import { threadOf } from '../state/threads.ts'
import { selectedMessage } from '../state/view.ts'
import { formatDateTime, formatDay } from '../../ui/text/time.ts'
import type { ThreadItem } from '../wire/types.ts'
import { Bubble } from './bubble.tsx'
import { type Closing, closingsIn } from './window-closings.ts'

/** The conversation, oldest message first. It stays scrolled to its end unless the reader has scrolled back. */
export function Thread({ customer }: { customer: string }) {
  const list = useRef<HTMLDivElement>(null)
  const { items, codes } = threadOf(customer)
  const messages = items.value
  const closings = useMemo(() => closingsIn(messages), [messages])
  const codeOf = new Map(codes.value.map((code) => [code.messageId, code]))

  const scrolling = useRef<EndScroll>(undefined)
  useLayoutEffect(() => {
    if (list.current) scrolling.current = stickToEnd(list.current)
    return () => scrolling.current?.stop()
  }, [])

  // The effect runs again when the message has been loaded: a new phone is read first.
  const isSelectionLoaded = messages.some(({ id }) => id === selectedMessage.value)
  useLayoutEffect(() => {
    const bubble = list.current?.querySelector(`[data-message="${CSS.escape(selectedMessage.value)}"]`)
    if (bubble) scrolling.current?.goTo(bubble)
  }, [selectedMessage.value, isSelectionLoaded])

  return (
    <div class="scroll" role="log" aria-label="Conversation" tabIndex={0} ref={list}>
      <div class="thread">
        {messages.length === 0 && isLoaded.value && <EmptyThread />}
        {messages.map((item, index) => [
          startsDay(messages, index) && (
            <p class="day" key={`day ${item.id}`}>
              {formatDay(item.at)}
            </p>
          ),
          <Closings key={`closings ${item.id}`} of={closings.get(item.id)} />,
          <Bubble key={item.id} customer={customer} item={item} code={codeOf.get(item.id)} />,
        ])}
        <ClosedSince items={messages} />
      </div>
    </div>
  )
}

/** The windows that have closed since the last message. A part of its own, since it is rendered each second. */
function ClosedSince({ items }: { items: readonly ThreadItem[] }) {
  return <Closings of={closingsIn(items, now.value).get('')} />
}

/** Says where a window closed: what stands below went out by template, or did not arrive. */
function Closings({ of = [] }: { of: readonly Closing[] | undefined }) {
  return (
    <>
      {of.map(({ at, number }) => (
        <p class="closing" key={`${number} ${at}`}>
          The window{number === undefined ? '' : ` to ${number}`} closed · {formatDateTime(at)}
          <span>From here on templates alone arrive, until the customer writes.</span>
        </p>
      ))}
    </>
  )
}

function EmptyThread() {
  return (
    <p class="empty">
      Nothing was said yet. Write <q>hi</q> below: you are the customer, and your app hears of it as a signed delivery.
    </p>
  )
}

function startsDay(items: readonly ThreadItem[], index: number): boolean {
  const [before, here] = [items[index - 1], items[index]]
  return here !== undefined && (before === undefined || formatDay(before.at) !== formatDay(here.at))
}

/** A reader this close to the end wants to follow new messages. */
const END_TOLERANCE_PX = 80

interface EndScroll {
  /** Scrolls to an element, as if the reader had scrolled there. */
  goTo(inside: Element): void
  stop(): void
}

/**
 * Keeps a box scrolled to its end while its size or content changes. Scrolling back turns that off, and scrolling to
 * the end turns it on again.
 */
function stickToEnd(box: HTMLElement): EndScroll {
  let follows = true
  let lastTop = 0
  const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < END_TOLERANCE_PX
  const onScroll = () => {
    // Only a reader scrolls up: growing content leaves scrollTop as it is.
    if (isNear()) follows = true
    else if (box.scrollTop < lastTop) follows = false
    lastTop = box.scrollTop
  }
  const toEnd = () => {
    if (follows) box.scrollTop = box.scrollHeight
  }
  const sizes = new ResizeObserver(toEnd)
  sizes.observe(box)
  for (const child of box.children) sizes.observe(child)
  box.addEventListener('scroll', onScroll, { passive: true })
  return {
    goTo(inside) {
      inside.scrollIntoView({ block: 'nearest' })
      follows = isNear()
      lastTop = box.scrollTop
    },
    stop() {
      sizes.disconnect()
      box.removeEventListener('scroll', onScroll)
    },
  }
}
