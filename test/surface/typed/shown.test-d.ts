/** The kind of a reply tells which content it has. */
import type { Reply, Sent } from 'switchhook/testing'

export function contentOf(reply: Reply): string | undefined {
  // @ts-expect-error -- a reply of another kind has no media
  void reply.media.url
  switch (reply.kind) {
    case 'image':
    case 'document':
    case 'video':
    case 'audio':
      return reply.media.filename ?? reply.media.url
    case 'template':
      return reply.template.name
    case 'interactive': {
      const none: undefined = reply.template
      return reply.link?.url ?? reply.sections?.[0]?.rows[0]?.description ?? reply.footer ?? none
    }
    default: {
      const kind: 'text' | 'button' = reply.kind
      const none: undefined = reply.media
      return none ?? kind
    }
  }
}

export function addressOf(sent: Sent): string | undefined {
  // @ts-expect-error -- a refused image has no media
  if (sent.kind === 'image') void sent.media.url
  if (sent.refused === undefined && sent.kind === 'image') return sent.media.url
  return sent.refused?.code
}
