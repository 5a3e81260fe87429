import { useRef } from 'preact/hooks'
import { isMessageType, OUTBOUND_KINDS } from '../../contract/message-kinds.ts'
import { copyText } from '../components/copy.tsx'
import { Icon } from '../components/icon.tsx'
import { recordFrom } from '../recorder/recording.ts'
import { moveOn, writeAs, type Writing } from '../state/customers.ts'
import { openMessage } from '../state/view.ts'
import { commandOf } from '../text/commands.ts'
import { tappedIn, type ThreadItem } from '../wire/types.ts'

interface BubbleMenuProps {
  readonly customer: string
  readonly item: ThreadItem
}

interface Choice {
  readonly words: string
  readonly run: () => void
}

/** What can be done with one message. */
export function BubbleMenu({ customer, item }: BubbleMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  const summary = useRef<HTMLElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  return (
    <details
      class="bubble-menu"
      ref={menu}
      onToggle={() => list.current?.scrollIntoView({ block: 'nearest' })}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return
        event.preventDefault()
        close()
        summary.current?.focus()
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!menu.current?.contains(relatedTarget as Node | null)) close()
      }}
    >
      <summary ref={summary} aria-label="What to do with this message" title="What to do with it">
        <Icon name="more" />
      </summary>
      <ul ref={list}>
        {choicesFor(customer, item).map(({ words, run }) => (
          <li key={words}>
            <button
              type="button"
              onClick={() => {
                close()
                summary.current?.focus()
                run()
              }}
            >
              {words}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function choicesFor(customer: string, item: ThreadItem): Choice[] {
  const show = { words: 'Show on the timeline', run: () => openMessage(item.id) }
  const record = { words: 'Record from here', run: () => recordFrom(item.id) }
  if (item.direction === 'INBOUND') {
    const writing = writingOf(item)
    if (writing === undefined) return [show, record]
    const again = { words: 'Send again', run: () => writeAs(customer, writing) }
    const command = commandOf(customer, writing)
    const copy =
      command === undefined ? [] : [{ words: 'Copy as command', run: () => copyText(command, 'The command') }]
    return [show, again, ...copy, record]
  }
  if (item.refused) return [show, record]
  const move = (status: string, words: string) => ({ words, run: () => moveOn(customer, status, item.id) })
  return [
    show,
    move('delivered', 'Let it be delivered'),
    move('read', 'Let the customer read it'),
    ...(isMessageType(item.kind) && OUTBOUND_KINDS[item.kind].playable
      ? [move('played', 'Let the customer play it')]
      : []),
    move('failed', 'Let it fail'),
    record,
  ]
}

/** What the customer did, to be done once more. */
function writingOf(item: ThreadItem): Writing | undefined {
  const { text, media, kind, number } = item
  const tapped = tappedIn(item)
  const to = number === undefined ? {} : { number }
  if (tapped) return { tap: tapped.id, ...to }
  if (media) return { media: { ...media }, ...to }
  return kind === 'text' && text !== null ? { text, ...to } : undefined
}
