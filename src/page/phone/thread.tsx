import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { loaded } from '../state/follow.ts'
import { threadOf } from '../state/threads.ts'
import { selectedMessage } from '../state/view.ts'
import type { ThreadItem } from '../wire/types.ts'
import { dayOf } from '../parts/time.ts'
import { Bubble } from './bubble.tsx'

/** So near to its end a reader is taken to follow what comes. */
const NEAR_PX = 80

/** What the phone shows, oldest first; it stays at its end unless the reader went back. */
export function Thread({ customer }: { customer: string }) {
  const list = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const { items, codes } = threadOf(customer)
  const shown = items.value
  const codeOf = new Map(codes.value.map((code) => [code.messageId, code]))

  useLayoutEffect(() => {
    const box = list.current
    if (box && follows.current) box.scrollTop = box.scrollHeight
  }, [shown, codes.value])

  // Bubbles get their true height when they are first seen, and panes theirs when the window changes.
  useEffect(() => {
    const box = list.current
    if (!box) return undefined
    const stay = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight
    })
    stay.observe(box)
    return () => stay.disconnect()
  }, [])

  useLayoutEffect(() => {
    const bubble = list.current?.querySelector(`[data-message="${CSS.escape(selectedMessage.value)}"]`)
    bubble?.scrollIntoView({ block: 'nearest' })
  }, [selectedMessage.value])

  const look = () => {
    const box = list.current
    if (box) follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
  }
  return (
    <div class="scroll thread" role="log" aria-label="Conversation" tabIndex={0} ref={list} onScroll={look}>
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
