import type { MediaType } from '../contract/index.ts'
import { members, string } from './check.ts'
import { built, type Built, type Freeform } from './content.ts'

/** A plain text of at most 4096 characters, not blank (SEND-03). A bare string says the same. */
export function text(body: string): Freeform {
  return textOf(body, 'text()')
}

/** The same for a bare string, whose `builder` names it in errors. */
export function textOf(body: unknown, builder: string): Built<Freeform> {
  return built({ kind: 'text' }, { type: 'text', text: string({ builder, path: 'the text' }, body) })
}

type Caption = { caption?: string | undefined }

/** A picture, fetched by the upstream platform from a public https address; caption at most 1024 (SEND-05). */
export function image(url: string, more?: Caption): Freeform {
  return media('image', url, members('image()', more, ['caption']))
}

/** A video, fetched by the upstream platform from a public https address; caption at most 1024 (SEND-05). */
export function video(url: string, more?: Caption): Freeform {
  return media('video', url, members('video()', more, ['caption']))
}

/** A file; `filename` is what the customer sees, caption at most 1024 (SEND-04, SEND-05). */
export function document(url: string, more?: Caption & { filename?: string | undefined }): Freeform {
  return media('document', url, members('document()', more, ['caption', 'filename']))
}

/** A sound or voice note. It takes no caption: the service would drop it in silence (SEND-05). */
export function audio(url: string, ...nothing: readonly never[]): Freeform {
  return media('audio', url, members('audio()', nothing[0], []))
}

function media(type: MediaType, url: unknown, more: { readonly caption?: unknown; readonly filename?: unknown }) {
  const builder = `${type}()`
  const { caption, filename } = more
  return built(
    { kind: 'media' as const },
    {
      type,
      media_url: string({ builder, path: 'url' }, url),
      ...(caption !== undefined && { media_caption: string({ builder, path: 'caption' }, caption) }),
      ...(filename !== undefined && { media_filename: string({ builder, path: 'filename' }, filename) }),
    },
  )
}
