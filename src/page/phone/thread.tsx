import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Follower, stayAtEnd } from '../parts/stay-at-end.ts'
import { loaded } from '../state/follow.ts'
import { threadOf } from '../state/threads.ts'
import { selectedMessage } from '../state/view.ts'
import type { ThreadItem } from '../wire/types.ts'
import { dayOf } from '../parts/time.ts'
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
