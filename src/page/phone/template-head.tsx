import type { Template, TemplateComponent } from '../wire/types.ts'
import { MediaCard } from './media-card.tsx'

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
