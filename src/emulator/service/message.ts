import { type Interactive } from '../../service/send-request.ts'
import { type MessageOut } from '../../service/answers.ts'
import { type MessageType, readsMember } from '../../service/message-kinds.ts'
import { bodyText } from '../../service/body-text.ts'
import { iso } from '../model/emulated-clock.ts'
import type { Model } from '../model/model.ts'
import { statusInCase } from '../model/progress.ts'
import type { FlattenedInteractive, ThreadItem, ThreadMedia, ThreadTemplate } from '../model/thread.ts'
import { CODE_SENT, CODE_WITHHELD, type FilledTemplate, codeComponents } from './approve.ts'
import type { Send } from './checks.ts'

type Accepted = ReturnType<typeof acceptance>

export function acceptance(model: Model) {
  return {
    id: model.ids.message(),
    upstreamId: model.ids.upstream(),
    status: statusInCase(model, 'sent'),
    /** Milliseconds since the epoch, by the emulator's clock. */
    at: model.clock.now(),
  }
}

export function messageOf(send: Send, accepted: Accepted, template: FilledTemplate | undefined): MessageOut {
  const { media, interactive = null } = SHOWN[send.type](send)
  return {
    id: accepted.id,
    direction: 'OUTBOUND',
    message_type: send.type,
    content: contentOf(send, template),
    status: accepted.status,
    source: 'HUMAN',
    wa_message_id: accepted.upstreamId,
    media_url: media?.url ?? null,
    media_mime_type: null,
    media_filename: media?.filename ?? null,
    media_duration_ms: null,
    interactive,
    sent_at: iso(accepted.at),
    delivered_at: null,
    read_at: null,
    played_at: null,
    failed_at: null,
    failure_reason: null,
    created_at: iso(accepted.at),
    ...(readsMember(send.type, 'template_name') ? { template_name: send.template_name } : {}),
    ...(template?.code === undefined ? {} : { redacted: true, referral: null }),
  }
}

export function threadItemOf(send: Send, accepted: Accepted, template: FilledTemplate | undefined): ThreadItem {
  const { media, interactive } = SHOWN[send.type](send)
  const content = contentOf(send, template)
  return {
    id: accepted.id,
    direction: 'OUTBOUND',
    kind: send.type,
    text: content,
    content,
    status: 'sent',
    at: iso(accepted.at),
    ...(template && {
      template: templateOf(send, template),
      ...(template.quickReplies.length > 0 && { quickReplies: template.quickReplies }),
    }),
    ...(interactive && { interactive }),
    ...(media && { media }),
  }
}

/** A one-time code is withheld (OTP-06). */
function templateOf(send: Send, { code, body, components }: FilledTemplate): ThreadTemplate {
  const named = { name: send.template_name ?? '', language: send.template_language ?? '' }
  if (code === undefined) return { ...named, body, components }
  return { ...named, body: [CODE_WITHHELD], components: codeComponents(CODE_WITHHELD) }
}

function contentOf(send: Send, template: FilledTemplate | undefined): string | null {
  if (template) return template.code === undefined ? template.text : CODE_SENT
  return bodyText(send) ?? null
}

type ShownContent = Pick<ThreadItem, 'media'> & { readonly interactive?: FlattenedInteractive }

/** What the phone shows of each type, besides text and template. */
const SHOWN: Readonly<Record<MessageType, (send: Send) => ShownContent>> = {
  text: () => ({}),
  template: () => ({}),
  image: mediaOf,
  document: mediaOf,
  video: mediaOf,
  audio: mediaOf,
  interactive: ({ interactive }) => (interactive ? { interactive: flatten(interactive) } : {}),
}

function mediaOf({ type, media_url: url, media_caption: caption, media_filename: filename }: Send): ShownContent {
  if (typeof url !== 'string') return {}
  const media: ThreadMedia = {
    kind: type,
    url,
    ...(readsMember(type, 'media_caption') && typeof caption === 'string' && { caption }),
    ...(readsMember(type, 'media_filename') && typeof filename === 'string' && { filename }),
  }
  return { media }
}

function flatten(interactive: Interactive): FlattenedInteractive {
  const { type, body, footer, buttons = [], cta } = interactive
  return {
    type,
    body,
    ...(typeof footer === 'string' ? { footer } : {}),
    ...(type === 'buttons' ? { buttons: (buttons ?? []).map(({ id, title }) => ({ id, title })) } : {}),
    ...(type === 'list' ? flattenList(interactive) : {}),
    ...(type === 'cta_url' && cta ? { cta: { display_text: cta.display_text, url: cta.url } } : {}),
  }
}

function flattenList({ button_text, sections }: Interactive) {
  return {
    button_text: button_text ?? 'View',
    sections: (sections ?? []).map((section) => ({
      title: section.title ?? null,
      rows: section.rows.map(({ id, title, description }) => ({ id, title, description: description ?? null })),
    })),
  }
}
