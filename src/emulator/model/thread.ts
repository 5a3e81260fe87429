import type { InboundKind, SignalKind } from '../../service/message-kinds.ts'
import type { TemplateComponent } from '../../service/send-request.ts'

/** A message on a customer's phone, or a refused send. */
export type ThreadItem = {
  readonly id: string
  readonly direction: 'INBOUND' | 'OUTBOUND'
  /** The type of a send, or the kind of a customer's message. A refused send may have any other type. */
  readonly kind: string
  readonly text: string | null
  readonly content: string | null
  status: string | null
  readonly at: string
  /** The author on the business's side, if it is not the app: the AI agent, or a person in the dashboard. */
  readonly by?: 'agent' | 'dashboard'
  failureReason?: string
  readonly template?: ThreadTemplate
  readonly quickReplies?: readonly { readonly payload: string; readonly title: string }[]
  /** Outbound: the options that the message offers. Inbound: the option that was tapped. */
  readonly interactive?: FlattenedInteractive | TappedOption
  readonly media?: ThreadMedia
  readonly refused?: { readonly status: number; readonly code: string | null; readonly message: string }
  /** The id of the connected number, if it is not the first one. */
  readonly number?: string
  /** The id of the API call that sent the message, or tried to. */
  readonly call?: string
}

export type ThreadTemplate = {
  readonly name: string
  readonly language: string
  readonly body: readonly string[]
  /** A one-time code is withheld, also in the button. */
  readonly components: readonly TemplateComponent[]
}

/** A one-time code as the phone shows it. It is kept nowhere else. */
export type ShownCode = {
  readonly messageId: string
  readonly code: string
  readonly text: string
  readonly at: string
}

export type TappedOption = { readonly type: 'button_reply' | 'list_reply'; readonly id: string; readonly title: string }

export type ThreadMedia = {
  readonly kind: string
  readonly url: string
  readonly caption?: string
  readonly filename?: string
}

export function headerMedia({ components }: ThreadTemplate): ThreadMedia | undefined {
  const header = components.find(({ type }) => type === 'header')
  for (const parameter of header?.parameters ?? []) {
    if (parameter.type === 'image') return { kind: parameter.type, url: parameter.image.link }
    if (parameter.type === 'video') return { kind: parameter.type, url: parameter.video.link }
    if (parameter.type !== 'document') continue
    const { link, filename } = parameter.document
    return { kind: parameter.type, url: link, ...(filename && { filename }) }
  }
  return undefined
}

/** An interactive message in the service's answers. It has only the members of its type (SEND-18). */
export type FlattenedInteractive = {
  readonly type: 'buttons' | 'list' | 'cta_url'
  readonly body: string
  readonly footer?: string
  readonly buttons?: readonly { readonly id: string; readonly title: string }[]
  readonly button_text?: string
  readonly sections?: readonly {
    readonly title: string | null
    readonly rows: readonly { readonly id: string; readonly title: string; readonly description: string | null }[]
  }[]
  readonly cta?: { readonly display_text: string; readonly url: string }
}

/** A customer's message or signal. At most one of the members after `at` is set: its content. */
export interface Inbound {
  readonly id: string
  readonly upstreamId: string
  readonly customer: string
  readonly name: string
  readonly kind: InboundKind | SignalKind
  /** Milliseconds since the epoch, by the emulator's clock. */
  readonly at: number
  readonly text?: string
  readonly tapped?: TappedOption
  readonly quickReply?: { readonly payload: string; readonly title: string }
  readonly media?: InboundMedia
  readonly location?: InboundLocation
  readonly contacts?: readonly { readonly name: string; readonly phone: string }[]
  readonly reaction?: { readonly emoji: string; readonly to: string }
}

export interface InboundLocation {
  readonly latitude: number
  readonly longitude: number
  readonly name?: string | undefined
  readonly address?: string | undefined
}

export interface InboundMedia {
  readonly url: string
  readonly mime?: string | undefined
  readonly filename?: string | undefined
  readonly caption?: string | undefined
  readonly durationMs?: number | undefined
}

export interface PhoneChoice {
  readonly how: 'button_reply' | 'list_reply' | 'quick_reply'
  readonly id: string
  readonly title: string
}

/** All options that a customer can tap, newest message first. It is assumed that old ones can be tapped. */
export function choicesOn(thread: readonly ThreadItem[]): PhoneChoice[] {
  return thread
    .toReversed()
    .filter((item) => item.direction === 'OUTBOUND' && item.refused === undefined)
    .flatMap((item) => [...interactiveChoices(item), ...quickReplies(item)])
}

function interactiveChoices({ interactive }: ThreadItem): PhoneChoice[] {
  if (interactive === undefined || !('body' in interactive)) return []
  const rows = (interactive.sections ?? []).flatMap((section) => section.rows)
  return [
    ...(interactive.buttons ?? []).map(({ id, title }) => ({ how: 'button_reply' as const, id, title })),
    ...rows.map(({ id, title }) => ({ how: 'list_reply' as const, id, title })),
  ]
}

function quickReplies({ quickReplies: replies = [] }: ThreadItem): PhoneChoice[] {
  return replies.map(({ payload, title }) => ({ how: 'quick_reply', id: payload, title }))
}
