import type { KnownStatus } from '../../../service/delivery.ts'
import { ruleOf } from '../../../service/error-table.ts'
import { type InboundKind, isMessageType, OUTBOUND_KINDS, type SignalKind } from '../../../service/message-kinds.ts'
import { headerMedia } from '../../../emulator/model/thread.ts'
import { Sentence } from '../../ui/components/body.tsx'
import { copyText } from '../../ui/components/copy.ts'
import { formatTime } from '../../ui/text/time.ts'
import { query } from '../state/view.ts'
import { selectedMessage } from '../timeline/state.ts'
import {
  type Media,
  offeredOptions,
  type ShownCode,
  tappedOption,
  type Template,
  type ThreadItem,
  type Interactive,
} from '../wire/wire-types.ts'
import { sendAsCustomer, setMessageStatus } from '../state/customer-list.ts'

interface BubbleProps {
  readonly customer: string
  readonly item: ThreadItem
  readonly code: ShownCode | undefined
}

/** One message on the phone. A refused send is shown too, with its reason. */
export function Bubble({ customer, item, code }: BubbleProps) {
  const classes = [
    'bubble',
    `from-${item.direction === 'INBOUND' ? 'customer' : (item.by ?? 'app')}`,
    item.refused ? 'refused' : '',
    selectedMessage.value === item.id ? 'selected' : '',
  ]
  return (
    <article class={classes.join(' ')} data-message={item.id} aria-label={`${authorOf(item)}, ${formatTime(item.at)}`}>
      <Author item={item} />
      <BubbleContent item={item} code={code} />
      {item.refused && <Refusal refused={item.refused} />}
      <footer>
        <button type="button" onClick={() => (query.value = item.id)} title="Find it on the timeline">
          <time dateTime={item.at}>{formatTime(item.at)}</time>
        </button>
        {item.direction === 'OUTBOUND' && !item.refused && <Status customer={customer} item={item} />}
      </footer>
      {!item.refused && item.direction === 'OUTBOUND' && <OfferedOptions customer={customer} item={item} />}
    </article>
  )
}

/** Names the author, unless side and colour show who it is. */
function Author({ item }: { item: ThreadItem }) {
  const { by, number, refused, template } = item
  const isNamed = by !== undefined || refused !== undefined || template !== undefined
  if (!isNamed && number === undefined) return null
  return (
    <header class="author line muted small">
      {isNamed && <span>{authorOf(item)}</span>}
      {number !== undefined && <span class="muted">number {number}</span>}
    </header>
  )
}

function authorOf({ direction, by, refused, template }: ThreadItem): string {
  if (direction === 'INBOUND') return 'Customer'
  if (by === 'agent') return 'AI agent'
  if (by === 'dashboard') return 'Person in the dashboard'
  if (refused) return 'Never arrived'
  return template ? 'Your app, by template' : 'Your app'
}

type Status = KnownStatus | 'accepted'
const MARKS: Readonly<Record<Status, string>> = {
  accepted: '',
  sent: '✓',
  delivered: '✓✓',
  read: '✓✓',
  played: '✓✓',
  failed: '✕',
}
const CHOICES: readonly Status[] = ['read', 'played', 'failed']

/** Shows the status by a word, because not everybody sees colours. A person can choose another status. */
function Status({ customer, item: { id, kind, status, failureReason } }: { customer: string; item: ThreadItem }) {
  // The service writes a status in upper or lower case.
  const current = (status?.toLowerCase() ?? 'accepted') as Status
  const isPlayable = isMessageType(kind) && OUTBOUND_KINDS[kind].playable
  const others = CHOICES.filter((one) => one !== current && (isPlayable || one !== 'played'))
  return (
    <>
      <select
        class={`status ${current}`}
        aria-label="Status"
        title="Change the status"
        value={current}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.value
          // Show the current status until an event from the emulator changes it: the emulator may refuse the change.
          currentTarget.value = current
          setMessageStatus(customer, wanted, id)
        }}
      >
        {[current, ...others].map((one) => (
          <option key={one} value={one}>
            {MARKS[one]} {one}
          </option>
        ))}
      </select>
      {failureReason !== undefined && <span class="failed">{failureReason}</span>}
    </>
  )
}

const RETRY_ADVICE = {
  no: 'A retry does not help.',
  backoff: 'A retry helps: with back-off and the same key.',
  pause: 'A retry helps: after a short pause, with the same key.',
  cautious: 'A retry may help: a few attempts, with the same key.',
} as const

function Refusal({ refused }: { refused: NonNullable<ThreadItem['refused']> }) {
  const { status, code, message } = refused
  return (
    <div class="stack">
      <p>
        <b class="chip bad">
          ✕ {status} {code}
        </b>
      </p>
      <p>
        <Sentence text={message} />
      </p>
      <p class="small">
        <b>{RETRY_ADVICE[ruleOf(status, code ?? undefined).retry]}</b>
      </p>
    </div>
  )
}

function BubbleContent({ item, code }: { item: ThreadItem; code: ShownCode | undefined }) {
  if (code) return <CodeCard item={item} code={code} />
  const { template, media, text } = item
  const label = item.direction === 'INBOUND' ? SHOWN[item.kind as InboundKind | SignalKind] : undefined
  const [tapped, footer] = [tappedOption(item), offeredOptions(item)?.footer]
  return (
    <>
      {template && <TemplateHead template={template} />}
      {media && <MediaCard media={media} />}
      {label && <p class="muted small">{label}</p>}
      {tapped ? (
        <p class="text">
          Tapped “<bdi>{tapped.title}</bdi>”
        </p>
      ) : (
        text !== null &&
        text !== '' && (
          <p class="text" dir="auto">
            {text}
          </p>
        )
      )}
      {footer !== undefined && (
        <p class="muted small" dir="auto">
          {footer}
        </p>
      )}
    </>
  )
}

/** Names a message that nobody wrote or that may have no text. Undefined for a kind whose content is shown. */
const SHOWN: Readonly<Record<InboundKind | SignalKind, string | undefined>> = {
  text: undefined,
  image: undefined,
  audio: undefined,
  video: undefined,
  document: undefined,
  interactive: undefined,
  button: undefined,
  reaction: 'Reacted',
  edited: 'Edited',
  deleted: 'Deleted',
  sticker: 'Sticker',
  call: 'Call',
  system: 'Note of the system',
  unknown: 'Unsupported',
  location: 'Location',
  contacts: 'Contact',
}

/** A one-time code is shown only here. Everywhere else it is withheld. */
function CodeCard({ item, code }: { item: ThreadItem; code: ShownCode }) {
  return (
    <div class="stack">
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
      <p class="muted small">
        Template <b>{template.name}</b> · {template.language}
      </p>
      {media && <MediaCard media={media} />}
    </>
  )
}

/** The page loads nothing from other hosts, so media on other hosts are shown as addresses. */
function MediaCard({ media }: { media: Media }) {
  const served = servedName(media.url)
  if (served !== undefined && media.kind === 'image')
    return <img class="media-picture" src={media.url} alt={`Picture ${served}`} loading="lazy" />
  const name = media.filename ?? served ?? media.kind
  return (
    <p class="card">
      <span>
        {served === undefined ? (
          <>
            <b>{name}</b>
            <br />
            <span class="muted small">{media.url}</span>
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

function servedName(address: string): string | undefined {
  const { origin, pathname } = URL.parse(address) ?? {}
  if (origin !== location.origin || !pathname?.startsWith('/media/')) return undefined
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    // The name cannot be decoded, so the emulator did not make this address.
    return name
  }
}

function OfferedOptions({ customer, item }: { readonly customer: string; readonly item: ThreadItem }) {
  const offered = offeredOptions(item)
  const tap = (id: string) => sendAsCustomer(customer, { tap: id, ...numberOf(item) })
  return (
    <>
      {offered?.buttons && <Buttons options={offered.buttons} tap={tap} />}
      {offered?.sections && <ListMessage list={offered} tap={tap} />}
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

interface ButtonsProps {
  readonly options: readonly { readonly id: string; readonly title: string; readonly description?: string | null }[]
  readonly tap: (id: string) => void
}

function Buttons({ options, tap }: ButtonsProps) {
  return (
    <ul class="offer stack">
      {options.map(({ id, title, description }) => (
        <li key={id}>
          <button type="button" title={`Answers with the id ${id}`} onClick={() => tap(id)}>
            <bdi>{title}</bdi>
            {description && (
              <span class="muted small" dir="auto">
                {description}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}

function ListMessage({ list, tap }: { readonly list: Interactive; readonly tap: ButtonsProps['tap'] }) {
  return (
    <details>
      <summary class="button">
        <bdi>{list.button_text ?? 'View'}</bdi>
      </summary>
      {list.sections?.map(({ title, rows }, index) => (
        <section key={index}>
          {title !== null && (
            <h3 class="muted small" dir="auto">
              {title}
            </h3>
          )}
          <Buttons options={rows} tap={tap} />
        </section>
      ))}
    </details>
  )
}

function Link({ display_text: text, url }: { display_text: string; url: string }) {
  return (
    <p>
      ↗{' '}
      <a href={url} title={url} target="_blank" rel="noreferrer noopener">
        <bdi>{text}</bdi>
      </a>
    </p>
  )
}
