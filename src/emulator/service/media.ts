import { isPublicHost } from '../http/public-host.ts'
import type { Send } from './validation.ts'

/** The addresses that the upstream platform would fetch for a send. */
export function mediaLinks(send: Send): readonly string[] {
  if (send.type === 'text' || send.type === 'interactive') return []
  if (send.type !== 'template') return typeof send.media_url === 'string' ? [send.media_url] : []
  const parameters = (send.template_components ?? []).flatMap((component) => component.parameters ?? [])
  return parameters.flatMap((parameter) => {
    if (parameter.type === 'image') return [parameter.image.link]
    if (parameter.type === 'video') return [parameter.video.link]
    return parameter.type === 'document' ? [parameter.document.link] : []
  })
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
