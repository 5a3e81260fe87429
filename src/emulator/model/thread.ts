import type { TemplateComponent } from '../../contract/index.ts'
import type { FlattenedInteractive } from '../phone/flattened.ts'

/** What one customer's phone shows, oldest first, and the refused sends beside it. */
export type ThreadItem = {
  readonly id: string
  readonly direction: 'INBOUND' | 'OUTBOUND'
  readonly kind: string
  readonly text: string | null
  readonly content: string | null
  status: string | null
  readonly at: string
  /** Who wrote it on the business's side, where it was not the app: the AI agent, or a person in the dashboard. */
  readonly by?: 'agent' | 'dashboard'
  /** Why it failed, in words. */
  failureReason?: string
  readonly template?: ThreadTemplate
  /** The buttons of a template that answer with a payload. */
  readonly quickReplies?: readonly { readonly payload: string; readonly title: string }[]
  /** Outbound: what the message offers. Inbound: what was tapped. */
  readonly interactive?: FlattenedInteractive | TappedOption
  readonly media?: ThreadMedia
  readonly refused?: { readonly status: number; readonly code: string | null; readonly message: string }
  /** The id of the connected number, where it is not the first one. */
  readonly number?: string
  /** The id of the call that sent it, or tried to. */
  readonly call?: string
}

export type ThreadTemplate = {
  readonly name: string
  readonly language: string
  readonly body: readonly string[]
  /** As recorded: a one-time code is withheld, and its copy in the button is there. */
  readonly components: readonly TemplateComponent[]
}

/** A one-time code as the handset shows it: in memory alone, and in no snapshot. */
export type ShownCode = {
  readonly messageId: string
  readonly code: string
  /** All that the message says, the code in its place. */
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

/** Something on the phone that can be tapped. */
export interface PhoneChoice {
  readonly how: 'button_reply' | 'list_reply' | 'quick_reply'
  /** The option's id, or the payload of a quick reply. */
  readonly id: string
  readonly title: string
  readonly description?: string
}

/** All that a customer can tap, the newest message first; old ones stay tappable (by assumption). */
export function choicesOn(thread: readonly ThreadItem[]): PhoneChoice[] {
  return thread
    .toReversed()
    .filter((item) => item.direction === 'OUTBOUND' && item.refused === undefined)
    .flatMap((item) => [...interactiveChoices(item.interactive), ...quickReplies(item)])
}

function interactiveChoices(interactive: ThreadItem['interactive']): PhoneChoice[] {
  if (interactive === undefined || !('body' in interactive)) return []
  const rows = (interactive.sections ?? []).flatMap((section) => section.rows)
  return [
    ...(interactive.buttons ?? []).map(({ id, title }) => ({ how: 'button_reply' as const, id, title })),
    ...rows.map(({ id, title, description }) => ({
      how: 'list_reply' as const,
      id,
      title,
      ...(description === null ? {} : { description }),
    })),
  ]
}

function quickReplies(item: ThreadItem): PhoneChoice[] {
  return (item.quickReplies ?? []).map(({ payload, title }) => ({ how: 'quick_reply', id: payload, title }))
}
