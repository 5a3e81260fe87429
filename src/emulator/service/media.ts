import { readsMember } from '../../contract/index.ts'
import { isPublicHost } from '../http/public-host.ts'
import type { Send } from './validation.ts'

type Parameter = NonNullable<NonNullable<Send['template_components']>[number]['parameters']>[number]

/** The addresses that the upstream platform would fetch for a send. */
export function mediaLinks(send: Send): readonly string[] {
  const { type, media_url: url, template_components: components } = send
  const parameters = (components ?? []).flatMap((component) => component.parameters ?? [])
  return [
    ...(readsMember(type, 'media_url') && typeof url === 'string' ? [url] : []),
    ...(readsMember(type, 'template_components') ? parameters.flatMap(linksOf) : []),
  ]
}

function linksOf(parameter: Parameter): string[] {
  switch (parameter.type) {
    case 'text':
    case 'payload':
      return []
    case 'image':
      return [parameter.image.link]
    case 'video':
      return [parameter.video.link]
    case 'document':
      return [parameter.document.link]
  }
}

/**
 * Why the upstream platform could not fetch this address, from the address alone: nothing is asked over the
 * network. Undefined where it could be public (SEND-05, SEND-21).
 */
export function unreachable(link: string): string | undefined {
  const url = URL.parse(link)
  if (url === null) return 'The media address is no valid URL.'
  if (url.protocol !== 'https:') return 'The media address must be https.'
  if (url.username !== '' || url.password !== '') return 'The media must be reachable anonymously, without credentials.'
  if (!isPublicHost(url.hostname)) return `The media host ${url.hostname} cannot be reached from the open internet.`
  return undefined
}
