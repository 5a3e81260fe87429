import type { InboundMediaKind, MediaType } from '../../contract/message-kinds.ts'
import { copyText } from '../components/copy.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import {
  type Media,
  offeredIn,
  type ShownCode,
  tappedIn,
  type Template,
  type TemplateComponent,
  type ThreadItem,
} from '../wire/types.ts'

export function Content({ item, code }: { item: ThreadItem; code: ShownCode | undefined }) {
  if (code) return <CodeCard item={item} code={code} />
  const tapped = tappedIn(item)
  const footer = offeredIn(item)?.footer
  return (
    <>
      {item.template && <TemplateHead template={item.template} />}
      {item.media && <MediaCard media={item.media} />}
      {tapped && (
        <p class="tapped">
          Tapped “<bdi>{tapped.title}</bdi>”
        </p>
      )}
      {!tapped && item.text !== null && item.text !== '' && (
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

/** A one-time code: the handset shows it, and everything recorded shows that it was withheld. */
export function CodeCard({ item, code }: { item: ThreadItem; code: ShownCode }) {
  return (
    <div class="code-card">
      <p class="text" dir="auto">
        {code.text}
      </p>
      <button type="button" onClick={() => copyText(code.code, 'The code')}>
        Copy code
      </button>
      <p class="small muted">
        Recorded everywhere as <q>{item.text}</q>: the code is on this handset alone.
      </p>
    </div>
  )
}

/** Which template it is, and the media of its header. */
export function TemplateHead({ template }: { template: Template }) {
  const media = template.components.flatMap(headerMedia)
  return (
    <>
      <p class="template-name small">
        Template <b>{template.name}</b> · {template.language}
      </p>
      {media.map((one) => (
        <MediaCard key={one.url} media={one} />
      ))}
    </>
  )
}

function headerMedia({ type, parameters = [] }: TemplateComponent) {
  if (type !== 'header') return []
  return parameters.flatMap((parameter) => {
    const kind = parameter.type
    const media = parameter[kind]
    const url = typeof media === 'object' && media !== null ? (media as { link?: unknown }).link : undefined
    return typeof url === 'string' ? [{ kind, url }] : []
  })
}

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
