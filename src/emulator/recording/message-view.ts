import { optionsInvalid } from '../../base/errors.ts'
import {
  type InboundKind,
  type InboundMediaKind,
  isSignal,
  type MessageType,
  type SignalKind,
} from '../../service/message-kinds.ts'
import { isOption } from '../../service/tap-id.ts'
import {
  choicesOn,
  type FlattenedInteractive,
  headerMedia,
  type PhoneChoice,
  type ThreadItem,
  type ThreadMedia,
} from '../../emulator/model/thread.ts'

interface Common {
  /** `app`: from the bot or the app around it. */
  readonly from: 'customer' | 'app' | 'agent' | 'dashboard'
  /** The text or the caption; empty if the message has neither. */
  readonly text: string
  /** Buttons, rows and quick replies. Pass an id or a title to `taps`. */
  readonly options: { id: string; title: string }[]
  /** `sent`, `delivered`, `read` …; undefined for the customer's own messages. */
  readonly status: string | undefined
}

interface Media {
  readonly kind: InboundMediaKind
  readonly url: string
  readonly filename: string | undefined
  readonly caption: string | undefined
}

interface Contents {
  readonly template: { name: string; language: string; body: string[] }
  /** The file, or the file in a template's header. */
  readonly media: Media | undefined
  readonly link: { title: string; url: string } | undefined
  /** The rows of a list by section, with their descriptions, which `options` does not have. */
  readonly sections:
    | { title: string | undefined; rows: { id: string; title: string; description: string | undefined }[] }[]
    | undefined
  readonly footer: string | undefined
}

/** Has the content `Has`; all other content is undefined. */
type Content<Has extends keyof Contents = never> = Pick<Contents, Has> & {
  readonly [Name in Exclude<keyof Contents, Has>]: undefined
}

/** A message on the customer's phone. Its `kind` tells which content it has: `link` belongs to `interactive`. */
export type Arrived = Common & { readonly refused: undefined } & (
    | ({ readonly kind: 'text' | 'button' } & Content)
    | ({ readonly kind: InboundMediaKind; readonly media: Media } & Content<'media'>)
    | ({ readonly kind: 'template' } & Content<'template' | 'media'>)
    | ({ readonly kind: 'interactive' } & Content<'link' | 'sections' | 'footer'>)
  )

/** A send that the service refused. It is listed, but is not on the phone. Only the text of its content is known. */
export type Refused = Common & Content & { readonly kind: string; readonly refused: { code: string } }

/** A location, contacts or a signal. Only customers send these. */
export type FromCustomer = Common &
  Content & { readonly kind: 'location' | 'contacts' | SignalKind; readonly refused: undefined }

export type Shown = Arrived | FromCustomer | Refused

/** A message of the business to any customer, accepted or refused. `to`: the customer's digits. */
export type Sent = (Arrived | Refused) & { readonly to: string }

/** A message of the business that the service accepted. Its `status` shows whether it was delivered. */
export type Reply = Arrived & { readonly to: string }

const NOTHING: Content = {
  template: undefined,
  media: undefined,
  link: undefined,
  sections: undefined,
  footer: undefined,
}

/** Turns an item of the emulator's thread into the message that a test shows. */
export function messageView(item: ThreadItem): Shown {
  const { direction, by = 'app', kind, text, status, refused } = item
  const common: Common = {
    from: direction === 'OUTBOUND' ? by : 'customer',
    text: text ?? '',
    options: choicesOn([item]).map(({ id, title }) => ({ id, title })),
    status: status ?? undefined,
  }
  if (refused) return { ...common, ...NOTHING, kind, refused: { code: refused.code ?? String(refused.status) } }
  if (isOfCustomer(kind)) return { ...common, ...NOTHING, kind, refused: undefined }
  return { ...common, ...contentOf(item), refused: undefined }
}

type ShownKind = MessageType | Exclude<InboundKind, FromCustomer['kind']>

type ContentView = (item: ThreadItem) => DistributiveOmit<Arrived, keyof Common | 'refused'>

const VIEWS: Readonly<Record<ShownKind, ContentView>> = {
  text: textView,
  button: () => ({ ...NOTHING, kind: 'button' }),
  image: fileView,
  audio: fileView,
  video: fileView,
  document: fileView,
  template: templateView,
  interactive: interactiveView,
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

function contentOf(item: ThreadItem): ReturnType<ContentView> {
  const { kind } = item
  return (Object.hasOwn(VIEWS, kind) ? VIEWS[kind as ShownKind] : textView)(item)
}

function textView(): ReturnType<ContentView> {
  return { ...NOTHING, kind: 'text' }
}

function fileView({ media }: ThreadItem): ReturnType<ContentView> {
  if (!media) return textView()
  const file = mediaView(media)
  return { ...NOTHING, kind: file.kind, media: file }
}

function templateView({ template }: ThreadItem): ReturnType<ContentView> {
  if (!template) return textView()
  const { name, language, body } = template
  const header = headerMedia(template)
  return {
    ...NOTHING,
    kind: 'template',
    template: { name, language, body: [...body] },
    media: header && mediaView(header),
  }
}

function interactiveView({ interactive }: ThreadItem): ReturnType<ContentView> {
  if (!interactive) return textView()
  const { cta, sections, footer } = 'body' in interactive ? interactive : ({} as Partial<FlattenedInteractive>)
  return {
    ...NOTHING,
    kind: 'interactive',
    link: cta && { title: cta.display_text, url: cta.url },
    sections: sections?.map(({ title, rows }) => ({
      title: title ?? undefined,
      rows: rows.map(({ id, title, description }) => ({ id, title, description: description ?? undefined })),
    })),
    footer,
  }
}

function isOfCustomer(kind: string): kind is FromCustomer['kind'] {
  return isSignal(kind) || kind === 'location' || kind === 'contacts'
}

function mediaView({ kind, url, filename, caption }: ThreadMedia): Media {
  // All media in the emulator have one of these kinds.
  return { kind: kind as InboundMediaKind, url, filename, caption }
}

/** True for a message of the business that the service accepted, even if the phone has not received it. */
export function isReply<Message extends Shown>(
  message: Message,
): message is Exclude<Message, FromCustomer | { readonly refused: object }> {
  return message.from !== 'customer' && message.refused === undefined
}

/**
 * The id of the option with this id or title. If several match, the newest wins.
 *
 * @throws SwitchhookError `options_invalid`, naming the options that the phone shows.
 */
export function optionId(option: string, choices: readonly PhoneChoice[]): string {
  const found = choices.find(({ id }) => isOption(id, option)) ?? choices.find(({ title }) => title === option)
  if (found) return found.id
  const titles = choices.map(({ title }) => `"${title}"`).join(', ') || 'nothing'
  throw optionsInvalid(`the phone shows no option "${option}"; it shows: ${titles}`)
}
