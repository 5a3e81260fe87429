import { useComputed, useSignal } from '@preact/signals'
import { ruleOf } from '../../../service/error-table.ts'
import { isMessageType, OUTBOUND_KINDS } from '../../../service/message-kinds.ts'
import { headerMedia } from '../../../emulator/model/thread.ts'
import { copyText } from '../../ui/components/copy.ts'
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
import { closeModal, Modal } from '../../ui/components/dialog.tsx'
import { sendAsCustomer, setMessageStatus } from '../state/customer-list.ts'

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
      {item.direction === 'OUTBOUND' && !item.refused && <StatusMenu customer={customer} item={item} />}
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
    <header class="author line muted small">
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

const PROGRESS = ['sent', 'delivered', 'read', 'played', 'failed'] as const

/** Shows the status by a word and an icon, because not everybody sees colours. */
function Ticks({ item }: { item: ThreadItem }) {
  // The service writes a status in upper or lower case.
  const progress = PROGRESS.find((one) => one === item.status?.toLowerCase())
  return (
    <span class={`ticks ${progress ?? ''}`} title={item.failureReason}>
      <Icon name={progress ?? 'waiting'} />
      {progress ?? 'accepted'}
      {item.failureReason !== undefined && `: ${item.failureReason}`}
    </span>
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
  const { template, media, text } = item
  const [tapped, footer] = [tappedOption(item), offeredOptions(item)?.footer]
  return (
    <>
      {template && <TemplateHead template={template} />}
      {media && <MediaCard media={media} />}
      {tapped ? (
        <p class="tapped">
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
      <p class="muted small">
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
    <p class="media line">
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

const STATUSES = [
  ['delivered', 'Delivered'],
  ['read', 'Read'],
  ['played', 'Played'],
  ['failed', 'Failed'],
] as const

/** Of all menus only one is open, because they share a name. */
function StatusMenu({ customer, item: { id, kind } }: { customer: string; item: ThreadItem }) {
  const isPlayable = isMessageType(kind) && OUTBOUND_KINDS[kind].playable
  return (
    <details
      class="bubble-menu"
      name="bubble-menu"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) currentTarget.open = false
      }}
    >
      <summary aria-label="Change the status" title="Change the status">
        <Icon name="more" />
      </summary>
      <ul>
        {STATUSES.filter(([status]) => isPlayable || status !== 'played').map(([status, label]) => (
          <li key={status}>
            <button
              type="button"
              class="line-button"
              onClick={({ currentTarget }) => {
                currentTarget.closest('details')?.removeAttribute('open')
                setMessageStatus(customer, status, id)
              }}
            >
              {label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
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

function ListMessage({ list: { button_text: title = 'View', sections = [] }, tap }: TapProps & { list: Interactive }) {
  const isOpen = useSignal(false)
  return (
    <>
      <div class="offer">
        <button type="button" aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
          <Icon name="list" /> <bdi>{title}</bdi>
        </button>
      </div>
      {isOpen.value && (
        <Modal title={title} class="choices" onClosed={() => (isOpen.value = false)}>
          <h2 dir="auto">{title}</h2>
          {sections.map((section, index) => (
            <section key={index}>
              {section.title !== null && (
                <h3 class="muted small" dir="auto">
                  {section.title}
                </h3>
              )}
              <ul>
                {section.rows.map((row) => (
                  <li key={row.id}>
                    <button
                      type="button"
                      class="line-button"
                      title={`Answers with the id ${row.id}`}
                      onClick={({ currentTarget }) => {
                        closeModal(currentTarget)
                        tap(row.id)
                      }}
                    >
                      <b dir="auto">{row.title}</b>
                      {row.description && (
                        <span class="muted small" dir="auto">
                          {row.description}
                        </span>
                      )}
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
          <footer class="line">
            <button type="button" onClick={({ currentTarget }) => closeModal(currentTarget)}>
              Close
            </button>
          </footer>
        </Modal>
      )}
    </>
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
