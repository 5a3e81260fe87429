import type { InboundMediaKind, MediaType } from '../../contract/message-kinds.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import type { Media } from '../wire/types.ts'

/** Media by their address: the page loads nothing from elsewhere. */
export function MediaCard({ media }: { media: Media }) {
  return (
    <p class="media">
      <Icon name={iconOf(media.kind)} />
      <span>
        <b>{media.filename ?? media.kind}</b>
        <br />
        <span class="muted small address">{media.url}</span>
      </span>
    </p>
  )
}

const ICONS: Readonly<Record<MediaType | InboundMediaKind, IconName>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  document: 'document',
}

function iconOf(kind: string): IconName {
  return Object.hasOwn(ICONS, kind) ? ICONS[kind as keyof typeof ICONS] : 'document'
}
