import { useComputed } from '@preact/signals'
import type { FunctionComponent, ComponentChildren } from 'preact'
import { ruleOf } from '../../../service/error-table.ts'
import { type InboundKind, type MessageType, isMessageType, OUTBOUND_KINDS } from '../../../service/message-kinds.ts'
import { headerMedia } from '../../../emulator/model/thread.ts'
import { copyText } from '../../ui/components/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { memo } from '../parts/stick-to-end.ts'
import { formatTime } from '../../ui/text/time.ts'
import { selectedMessage, showMessage } from '../state/view.ts'
import {
  type Media,
  offeredOptions,
  type ShownCode,
  tappedOption,
  type Template,
  type ThreadItem,
  type Interactive,
} from '../wire/wire-types.ts'
import { type CustomerMessage, sendAsCustomer, setMessageStatus } from '../state/customer-list.ts'
import { openList } from './list-sheet.tsx'
import { useRef } from 'preact/hooks'

interface BubbleProps {
  readonly customer: string
  readonly item: ThreadItem
  readonly code: ShownCode | undefined
}

/** One message on the phone. A refused send is shown with its reason, although it never arrived. */
export const Bubble = memo(function Bubble({ customer, item, code }: BubbleProps) {
  // A signal per bubble, so that a new selection renders two bubbles and not all of them.
  const isSelected = useComputed(() => selectedMessage.value === item.id).value
  const classes = ['bubble', sideOf(item), item.refused ? 'refused' : '', isSelected ? 'selected' : '']
  return (
    <article class={classes.join(' ')} data-message={item.id} aria-label={`${authorOf(item)}, ${formatTime(item.at)}`}>
      <Author item={item} />
      <BubbleMenu customer={customer} item={item} />
      <BubbleContent item={item} code={code} />
      {item.refused && <Refusal refused={item.refused} />}
      <footer>
        <button type="button" class="link" onClick={() => showMessage(item.id)} title="Show its cause on the timeline">
          <time dateTime={item.at}>{formatTime(item.at)}</time>
        </button>
        {item.direction === 'OUTBOUND' && !item.refused && <Ticks item={item} />}
      </footer>
      {!item.refused && item.direction === 'OUTBOUND' && <OfferedOptions customer={customer} item={item} />}
    </article>
  )
})

/** Names the author, unless side and colour show it: the customer's messages and the app's plain ones need no name. */
function Author({ item }: { item: ThreadItem }) {
  const { by, number, refused, template } = item
  const isNamed = by !== undefined || refused !== undefined || template !== undefined
  if (!isNamed && number === undefined) return null
  return (
    <header class="author">
      {isNamed && <span>{authorOf(item)}</span>}
      {number !== undefined && <span class="muted">number {number}</span>}
    </header>
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

type Progress = 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'waiting'

const PATHS: Readonly<Record<Progress, string>> = {
  waiting: 'M8 4v4l3 2M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0',
  sent: 'M3 8.5l3.5 3.5L13 4.5',
  delivered: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  read: 'M1 8.5l3.5 3.5L11 4.5M7 11l1 1 7-7.5',
  played: 'M8 1.5a2 2 0 0 1 2 2V8a2 2 0 0 1-4 0V3.5a2 2 0 0 1 2-2M3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15',
  failed: 'M8 3.5V9M8 12v.5',
}

/** Shows the status by a word and an icon, because not everybody sees colours. */
function Ticks({ item }: { item: ThreadItem }) {
  const progress = progressOf(item.status)
  return (
    <span class={`ticks ${progress}`} title={item.failureReason}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={PATHS[progress]} />
      </svg>
      {progress === 'waiting' ? 'accepted' : progress}
      {item.failureReason !== undefined && `: ${item.failureReason}`}
    </span>
  )
}

/** The service writes a status in upper or lower case. */
function progressOf(status: string | null): Progress {
  const known = status?.toLowerCase()
  return known !== undefined && Object.hasOwn(PATHS, known) ? (known as Progress) : 'waiting'
}

const RETRY_ADVICE = {
  no: 'A retry does not help.',
  backoff: 'A retry helps: with back-off and the same key.',
  pause: 'A retry helps: after a short pause, with the same key.',
  cautious: 'A retry may help: a few attempts, with the same key.',
} as const

/** Explains why a message never arrived, and whether a retry would help. */
function Refusal({ refused }: { refused: NonNullable<ThreadItem['refused']> }) {
  const { status, code, message } = refused
  return (
    <div class="refusal">
      <p>
        <b class="chip bad">
          ✕ {status} {code}
        </b>
      </p>
      <p>{message}</p>
      <p class="small">
        <b>{RETRY_ADVICE[ruleOf(status, code ?? undefined).retry]}</b>
      </p>
    </div>
  )
}

function BubbleContent({ item, code }: { item: ThreadItem; code: ShownCode | undefined }) {
  if (code) return <CodeCard item={item} code={code} />
  const AboveText = Object.hasOwn(ABOVE_TEXT, item.kind) ? ABOVE_TEXT[item.kind as keyof typeof ABOVE_TEXT] : Nothing
  const footer = offeredOptions(item)?.footer
  return (
    <>
      <AboveText item={item} />
      {!tappedOption(item) && item.text !== null && item.text !== '' && (
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

type Part = FunctionComponent<{ item: ThreadItem }>

const Nothing: Part = () => null
const TemplateHeadOf: Part = ({ item: { template } }) => template && <TemplateHead template={template} />
const MediaOf: Part = ({ item: { media } }) => media && <MediaCard media={media} />

const Tapped: Part = ({ item }) => {
  const tapped = tappedOption(item)
  return (
    tapped && (
      <p class="tapped">
        Tapped “<bdi>{tapped.title}</bdi>”
      </p>
    )
  )
}

/** The part of a bubble above its text, by the kind of its message. A refused send may be of any other kind. */
const ABOVE_TEXT: Readonly<Record<MessageType | InboundKind, Part>> = {
  text: Nothing,
  image: MediaOf,
  document: MediaOf,
  video: MediaOf,
  audio: MediaOf,
  template: TemplateHeadOf,
  interactive: Tapped,
  button: Tapped,
}

/** Shows a one-time code, which is only on the handset. All records show that it was withheld. */
function CodeCard({ item, code }: { item: ThreadItem; code: ShownCode }) {
  return (
    <div class="code-card">
      <p class="text" dir="auto">
        {code.text}
      </p>
      <button type="button" onClick={() => copyText(code.code, 'The code')}>
        Copy code
      </button>
      <p class="small muted">
        Recorded everywhere as <q>{item.text}</q>: the code is only on this handset.
      </p>
    </div>
  )
}

function TemplateHead({ template }: { template: Template }) {
  const media = headerMedia(template)
  return (
    <>
      <p class="template-name small">
        Template <b>{template.name}</b> · {template.language}
      </p>
      {media && <MediaCard media={media} />}
    </>
  )
}

/**
 * Shows a picture from the emulator, and any other file of the emulator as a link. Media from other hosts are shown as
 * their address, because the page loads nothing from there.
 */
function MediaCard({ media }: { media: Media }) {
  const served = servedName(media.url)
  if (served !== undefined && media.kind === 'image')
    return <img class="media-picture" src={media.url} alt={`Picture ${served}`} loading="lazy" />
  const name = media.filename ?? served ?? media.kind
  return (
    <p class="media">
      <Icon name="document" />
      <span>
        {served === undefined ? (
          <>
            <b>{name}</b>
            <br />
            <span class="muted small address">{media.url}</span>
          </>
        ) : (
          <a href={media.url} download={name}>
            {name}
          </a>
        )}
      </span>
    </p>
  )
}

/** The name of a file that the emulator serves; undefined for other addresses. */
function servedName(address: string): string | undefined {
  const { origin, pathname } = URL.parse(address) ?? {}
  if (origin !== location.origin || !pathname?.startsWith('/media/')) return undefined
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    // An invented address.
    return name
  }
}

function BubbleMenu({ customer, item }: { customer: string; item: ThreadItem }) {
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

function OfferedOptions({ customer, item }: { readonly customer: string; readonly item: ThreadItem }) {
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

export interface MenuItem {
  readonly label: ComponentChildren
  readonly title?: string
  readonly run: () => void
}

interface MenuProps {
  readonly class: string
  readonly children: ComponentChildren
  /** The accessible name of that button, if its content is an icon. */
  readonly label?: string
  readonly title?: string
  readonly items: readonly MenuItem[]
}

/** A menu that opens under its button. Escape, a choice or moving the focus away closes it. */
function Menu({ class: kind, children, label, title, items }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  const summary = useRef<HTMLElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  return (
    <details
      class={`menu ${kind}`}
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
      <summary ref={summary} aria-label={label} title={title}>
        {children}
      </summary>
      <ul ref={list}>
        {items.map((item, index) => (
          <li key={index}>
            <button
              type="button"
              class="line-button"
              title={item.title}
              onClick={() => {
                close()
                summary.current?.focus()
                item.run()
              }}
            >
              {item.label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
