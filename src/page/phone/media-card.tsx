import type { InboundMediaKind, MediaType } from '../../contract/message-kinds.ts'
import { Icon, type IconName } from '../../ui/components/icon.tsx'
import type { Media } from '../wire/types.ts'

/**
 * Shows a picture that the emulator serves, and the name of any other file of the emulator as a link. Media from
 * elsewhere are shown by their address: the page loads nothing from there.
 */
export function MediaCard({ media }: { media: Media }) {
  const served = servedName(media.url)
  if (served !== undefined && media.kind === 'image')
    return <img class="media-picture" src={media.url} alt={`Picture ${served}`} loading="lazy" />
  const name = media.filename ?? served ?? media.kind
  return (
    <p class="media">
      <Icon name={iconOf(media.kind)} />
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

/** The name of a file that the emulator serves; undefined if the address is elsewhere. */
function servedName(address: string): string | undefined {
  const { origin, pathname } = URL.parse(address) ?? {}
  if (origin !== location.origin || !pathname?.startsWith('/media/')) return undefined
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    // An address that somebody made up.
    return name
  }
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
