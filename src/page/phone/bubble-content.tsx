import type { FunctionComponent } from 'preact'
import type { InboundKind, MessageType } from '../../contract/message-kinds.ts'
import { copyText } from '../../ui/components/copy.tsx'
import {
  offeredOptions,
  type ShownCode,
  tappedOption,
  type Template,
  type TemplateComponent,
  type ThreadItem,
} from '../wire/types.ts'
import { MediaCard } from './media-card.tsx'

/** The content of a bubble: a template's name, media, the tapped option, the text. */
export function BubbleContent({ item, code }: { item: ThreadItem; code: ShownCode | undefined }) {
  if (code) return <CodeCard item={item} code={code} />
  const AboveText = Object.hasOwn(ABOVE_TEXT, item.kind) ? ABOVE_TEXT[item.kind as keyof typeof ABOVE_TEXT] : Nothing
  const footer = offeredOptions(item)?.footer
  return (
    <>
      <AboveText item={item} />
      {!tappedOption(item) && item.text !== null && item.text !== '' && (
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

type Part = FunctionComponent<{ item: ThreadItem }>

const Nothing: Part = () => null
const TemplateHeadOf: Part = ({ item: { template } }) => template && <TemplateHead template={template} />
const MediaOf: Part = ({ item: { media } }) => media && <MediaCard media={media} />

const Tapped: Part = ({ item }) => {
  const tapped = tappedOption(item)
  return (
    tapped && (
      <p class="tapped">
        Tapped “<bdi>{tapped.title}</bdi>”
      </p>
    )
  )
}

/** The part of a bubble above its text, by the kind of its message; a refused send may be of any other kind. */
const ABOVE_TEXT: Readonly<Record<MessageType | InboundKind, Part>> = {
  text: Nothing,
  image: MediaOf,
  document: MediaOf,
  video: MediaOf,
  audio: MediaOf,
  template: TemplateHeadOf,
  interactive: Tapped,
  button: Tapped,
}

/** Shows a one-time code, which is on the handset alone: all records show only that it was withheld. */
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
        Recorded everywhere as <q>{item.text}</q>: the code is on this handset alone.
      </p>
    </div>
  )
}

function TemplateHead({ template }: { template: Template }) {
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
