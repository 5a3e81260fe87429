import { useLayoutEffect, useRef } from 'preact/hooks'
import { useStickToEnd } from '../parts/stick-to-end.ts'
import { isLoaded } from '../state/follow.ts'
import { threadOf } from '../state/threads.ts'
import { selectedMessage } from '../state/view.ts'
import { formatDay } from '../../ui/text/time.ts'
import type { ThreadItem } from '../wire/types.ts'
import { Bubble } from './bubble.tsx'

/** The conversation, oldest message first. It stays scrolled to its end unless the reader has scrolled back. */
export function Thread({ customer }: { customer: string }) {
  const list = useRef<HTMLDivElement>(null)
  const { items, codes } = threadOf(customer)
  const messages = items.value
  const codeOf = new Map(codes.value.map((code) => [code.messageId, code]))

  const scroll = useStickToEnd(list)

  // The effect runs again when the message has been loaded: a new phone is read first.
  const isSelectionLoaded = messages.some(({ id }) => id === selectedMessage.value)
  useLayoutEffect(() => {
    const bubble = list.current?.querySelector(`[data-message="${CSS.escape(selectedMessage.value)}"]`)
    if (bubble) scroll.goTo(bubble)
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
          <Bubble key={item.id} customer={customer} item={item} code={codeOf.get(item.id)} />,
        ])}
      </div>
    </div>
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
