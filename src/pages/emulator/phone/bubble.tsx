import { useComputed } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import { ruleOf } from '../../../service/error-table.ts'
import type { InboundKind, MessageType } from '../../../service/message-kinds.ts'
import { headerMedia } from '../../../emulator/model/thread.ts'
import { copyText } from '../../ui/components/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { memo } from '../parts/memo.ts'
import { formatTime } from '../../ui/text/time.ts'
import { selectedMessage, showMessage } from '../state/view.ts'
import {
  type Media,
  offeredOptions,
  type ShownCode,
  tappedOption,
  type Template,
  type ThreadItem,
} from '../wire/wire-types.ts'
import { BubbleMenu, OfferedOptions } from './bubble-actions.tsx'

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
