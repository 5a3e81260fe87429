import { isMessageType, OUTBOUND_KINDS } from '../../../service/message-kinds.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { type CustomerMessage, sendAsCustomer, setMessageStatus } from '../state/customer-list.ts'
import { showMessage } from '../state/view.ts'
import { type Interactive, offeredOptions, tappedOption, type ThreadItem } from '../wire/wire-types.ts'
import { openList } from './list-sheet.tsx'

export function BubbleMenu({ customer, item }: { customer: string; item: ThreadItem }) {
  return (
    <Menu class="bubble-menu" label="Actions for this message" title="Actions" items={itemsFor(customer, item)}>
      <Icon name="more" />
    </Menu>
  )
}

function itemsFor(customer: string, item: ThreadItem): readonly MenuItem[] {
  const show = { label: 'Show on the timeline', run: () => showMessage(item.id) }
  if (item.direction === 'INBOUND') return [show, ...repeatItems(customer, item)]
  return item.refused ? [show] : [show, ...statusItems(customer, item)]
}

function repeatItems(customer: string, item: ThreadItem): readonly MenuItem[] {
  const message = toCustomerMessage(item)
  return message === undefined ? [] : [{ label: 'Send again', run: () => sendAsCustomer(customer, message) }]
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

/** The message that repeats what the customer did; undefined if that is not possible. */
function toCustomerMessage(item: ThreadItem): CustomerMessage | undefined {
  const { text, media, kind, number } = item
  const tapped = tappedOption(item)
  const to = number === undefined ? {} : { number }
  if (tapped) return { tap: tapped.id, ...to }
  if (media) return { media: { ...media }, ...to }
  return kind === 'text' && text !== null ? { text, ...to } : undefined
}

export function OfferedOptions({ customer, item }: { readonly customer: string; readonly item: ThreadItem }) {
  const offered = offeredOptions(item)
  const tap = (id: string) => sendAsCustomer(customer, { tap: id, ...numberOf(item) })
  return (
    <>
      {offered?.buttons && <Buttons options={offered.buttons} tap={tap} />}
      {offered?.sections && (
        <div class="offer stack">
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => (openList.value = { customer, list: offered, choose: tap })}
          >
            <Icon name="list" /> <bdi>{offered.button_text ?? 'View'}</bdi>
          </button>
        </div>
      )}
      {offered?.cta && <Link {...offered.cta} />}
      {item.quickReplies && (
        <Buttons
          options={item.quickReplies.map(({ payload, title }) => ({ id: payload, title }))}
          tap={(id) => sendAsCustomer(customer, { quickReply: id, ...numberOf(item) })}
        />
      )}
    </>
  )
}

function numberOf({ number }: ThreadItem): { number?: string } {
  return number === undefined ? {} : { number }
}

interface TapProps {
  readonly tap: (id: string) => void
}

function Buttons({ options, tap }: TapProps & { readonly options: NonNullable<Interactive['buttons']> }) {
  return (
    <ul class="offer stack">
      {options.map(({ id, title }) => (
        <li key={id}>
          <button type="button" title={`Answers with the id ${id}`} onClick={() => tap(id)}>
            <bdi>{title}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Link({ display_text: text, url }: { display_text: string; url: string }) {
  return (
    <p class="offer address">
      <Icon name="link" />{' '}
      <a href={url} title={url} target="_blank" rel="noreferrer noopener">
        <bdi>{text}</bdi>
      </a>
    </p>
  )
}
