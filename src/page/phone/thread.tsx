import { useLayoutEffect, useRef } from 'preact/hooks'
import { loaded } from '../state/follow.ts'
import { threadOf } from '../state/threads.ts'
import { selectedMessage } from '../state/view.ts'
import { dayOf } from '../text/time.ts'
import type { ThreadItem } from '../wire/types.ts'
import { Bubble } from './bubble.tsx'

/** What the phone shows, oldest first; it stays at its end unless the reader went back. */
export function Thread({ customer }: { customer: string }) {
  const list = useRef<HTMLDivElement>(null)
  const { items, codes } = threadOf(customer)
  const shown = items.value
  const codeOf = new Map(codes.value.map((code) => [code.messageId, code]))

  const follower = useRef<Follower>(undefined)
  useLayoutEffect(() => {
    if (list.current) follower.current = stayAtEnd(list.current)
    return () => follower.current?.stop()
  }, [])

  // A phone that was not looked at before is read first.
  const isThere = shown.some(({ id }) => id === selectedMessage.value)
  useLayoutEffect(() => {
    const bubble = list.current?.querySelector(`[data-message="${CSS.escape(selectedMessage.value)}"]`)
    if (bubble) follower.current?.goTo(bubble)
  }, [selectedMessage.value, isThere])

  return (
    <div class="scroll" role="log" aria-label="Conversation" tabIndex={0} ref={list}>
      <div class="thread">
        {shown.length === 0 && loaded.value && <Nothing />}
        {shown.map((item, index) => [
          startsDay(shown, index) && (
            <p class="day" key={`day ${item.id}`}>
              {dayOf(item.at)}
            </p>
          ),
          <Bubble key={item.id} customer={customer} item={item} code={codeOf.get(item.id)} />,
        ])}
      </div>
    </div>
  )
}

function Nothing() {
  return (
    <p class="empty">
      Nothing was said yet. Write <q>hi</q> below: you are the customer, and your app hears of it as a signed delivery.
    </p>
  )
}

function startsDay(items: readonly ThreadItem[], index: number): boolean {
  const [before, here] = [items[index - 1], items[index]]
  return here !== undefined && (before === undefined || dayOf(before.at) !== dayOf(here.at))
}

/** So near to its end a reader is taken to follow what comes. */
const NEAR_PX = 80

/** A scrolled box that stays at its end. */
export interface Follower {
  /** To something in it that somebody asked for, as if a reader had gone there. */
  goTo(inside: Element): void
  stop(): void
}

/**
 * Keeps a scrolled box at its end, whatever becomes of its size or of what is in it, until a reader goes back;
 * from then on where the reader comes to the end again.
 */
export function stayAtEnd(box: HTMLElement): Follower {
  let follows = true
  let last = 0
  const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
  const look = () => {
    // Only a reader goes up: what grows leaves the place as it is.
    if (isNear()) follows = true
    else if (box.scrollTop < last) follows = false
    last = box.scrollTop
  }
  const stay = () => {
    if (follows) box.scrollTop = box.scrollHeight
  }
  const sizes = new ResizeObserver(stay)
  sizes.observe(box)
  for (const child of box.children) sizes.observe(child)
  box.addEventListener('scroll', look, { passive: true })
  return {
    goTo(inside) {
      inside.scrollIntoView({ block: 'nearest' })
      follows = isNear()
      last = box.scrollTop
    },
    stop() {
      sizes.disconnect()
      box.removeEventListener('scroll', look)
    },
  }
}
