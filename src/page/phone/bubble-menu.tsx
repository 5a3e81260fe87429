import { isMessageType, OUTBOUND_KINDS } from '../../contract/message-kinds.ts'
import { copyText } from '../../ui/components/copy.tsx'
import { Icon } from '../../ui/components/icon.tsx'
import { Menu, type MenuItem } from '../../ui/components/menu.tsx'
import { recordFrom } from '../recorder/recording.ts'
import { type CustomerMessage, sendAsCustomer, setMessageStatus } from '../state/customers.ts'
import { showMessage } from '../state/view.ts'
import { triggerCommand } from '../text/commands.ts'
import { tappedOption, type ThreadItem } from '../wire/types.ts'

export function BubbleMenu({ customer, item }: { customer: string; item: ThreadItem }) {
  return (
    <Menu
      class="bubble-menu"
      label="What to do with this message"
      title="What to do with it"
      items={itemsFor(customer, item)}
    >
      <Icon name="more" />
    </Menu>
  )
}

function itemsFor(customer: string, item: ThreadItem): readonly MenuItem[] {
  const show = { label: 'Show on the timeline', run: () => showMessage(item.id) }
  const record = { label: 'Record from here', run: () => recordFrom(item.id) }
  if (item.direction === 'INBOUND') return [show, ...repeatItems(customer, item), record]
  return item.refused ? [show, record] : [show, ...statusItems(customer, item), record]
}

function repeatItems(customer: string, item: ThreadItem): readonly MenuItem[] {
  const message = toCustomerMessage(item)
  if (message === undefined) return []
  const again = { label: 'Send again', run: () => sendAsCustomer(customer, message) }
  const command = triggerCommand(customer, message)
  if (command === undefined) return [again]
  return [again, { label: 'Copy as command', run: () => copyText(command, 'The command') }]
}

function statusItems(customer: string, { id, kind }: ThreadItem): readonly MenuItem[] {
  const setTo = (status: string, label: string) => ({ label, run: () => setMessageStatus(customer, status, id) })
  const isPlayable = isMessageType(kind) && OUTBOUND_KINDS[kind].playable
  return [
    setTo('delivered', 'Let it be delivered'),
    setTo('read', 'Let the customer read it'),
    ...(isPlayable ? [setTo('played', 'Let the customer play it')] : []),
    setTo('failed', 'Let it fail'),
  ]
}

/** Makes the message that repeats what the customer did; undefined if that is not possible. */
function toCustomerMessage(item: ThreadItem): CustomerMessage | undefined {
  const { text, media, kind, number } = item
  const tapped = tappedOption(item)
  const to = number === undefined ? {} : { number }
  if (tapped) return { tap: tapped.id, ...to }
  if (media) return { media: { ...media }, ...to }
  return kind === 'text' && text !== null ? { text, ...to } : undefined
}
