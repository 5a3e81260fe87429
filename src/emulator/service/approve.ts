import { type MessageType, readsMember, WINDOW_MS } from '../../contract/index.ts'
import { isPublicHost } from '../http/public-host.ts'
import type { ConnectedNumber } from '../model/account.ts'
import type { Assumptions } from '../model/assumptions.ts'
import type { Model } from '../model/model.ts'
import { ignoreCheck, type OnCheck } from './checks.ts'
import { type FilledTemplate, fillSend } from './template-send.ts'
import { apiRefusal } from './refusals.ts'
import type { Send } from './validation.ts'

/** Makes every check that can refuse a well-formed send, in order; answers the filled template of a template's send. Changes nothing. */
export function approve(
  model: Model,
  number: ConnectedNumber,
  send: Send,
  onCheck: OnCheck = ignoreCheck,
): FilledTemplate | undefined {
  checkContactLimit(model, send, onCheck)
  checkWindow(model, number, send, onCheck)
  const template = readsMember(send.type, 'template_name')
    ? fillSend(send, model.templates.of(number.id), model.assumptions, onCheck)
    : undefined
  onCheck('upstream')
  checkUpstream(model, number, send)
  return template
}

function checkContactLimit({ account }: Model, { to }: Send, onCheck: OnCheck): void {
  onCheck('contact_limit')
  const { contactLimit } = account.plan
  if (contactLimit !== null && !account.contacts.has(to) && account.contacts.size >= contactLimit)
    throw apiRefusal('plan_limit_reached', `The plan's limit of ${contactLimit} contacts is reached.`)
}

/** The types that are accepted only while the window is open: all but templates (GEN-05). */
export const NEEDS_WINDOW: Readonly<Record<MessageType, boolean>> = {
  text: true,
  image: true,
  document: true,
  video: true,
  audio: true,
  interactive: true,
  template: false,
}

function checkWindow(model: Model, number: ConnectedNumber, send: Send, onCheck: OnCheck): void {
  onCheck('window')
  const lastInboundAt = model.phones.lastInboundAt(send.to, number.id)
  if (NEEDS_WINDOW[send.type] && !isWindowOpen(lastInboundAt, model.clock.now(), model.assumptions))
    throw apiRefusal(
      'outside_messaging_window',
      'The customer has not written within the last 24 hours; only a template can be sent.',
    )
}

/** Tells whether a free-form message may go to a customer now: within 24 hours of the last inbound message (GEN-04). */
export function isWindowOpen(
  lastInboundAt: number | undefined,
  now: number,
  { windowAtExactly24h }: Pick<Assumptions, 'windowAtExactly24h'>,
): boolean {
  if (lastInboundAt === undefined) return false
  const age = now - lastInboundAt
  return age < WINDOW_MS || (age === WINDOW_MS && windowAtExactly24h === 'open')
}

function checkUpstream({ assumptions }: Model, number: ConnectedNumber, send: Send): void {
  if (!number.connected) throw apiRefusal('send_failed', 'The number is not connected to the chat platform.')
  if (assumptions.privateMedia === 'accept') return
  const reason = mediaLinks(send)
    .map(unreachableReason)
    .find((found) => found !== undefined)
  if (reason !== undefined) throw apiRefusal('send_failed', `The chat platform refused the message: ${reason}`)
}

/** The addresses that the upstream platform would fetch for a send. */
function mediaLinks(send: Send): readonly string[] {
  const { type, media_url: url, template_components: components } = send
  const parameters = (components ?? []).flatMap((component) => component.parameters ?? [])
  return [
    ...(readsMember(type, 'media_url') && typeof url === 'string' ? [url] : []),
    ...(readsMember(type, 'template_components') ? parameters.flatMap(linksOf) : []),
  ]
}

type Parameter = NonNullable<NonNullable<Send['template_components']>[number]['parameters']>[number]

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
 * Why the upstream platform could not fetch an address, from the address alone: nothing is asked over the network.
 * Undefined if the address could be public (SEND-05, SEND-21).
 */
function unreachableReason(link: string): string | undefined {
  const url = URL.parse(link)
  if (url === null) return 'The media address is no valid URL.'
  if (url.protocol !== 'https:') return 'The media address must be https.'
  if (url.username !== '' || url.password !== '') return 'The media must be reachable anonymously, without credentials.'
  if (!isPublicHost(url.hostname)) return `The media host ${url.hostname} cannot be reached from the open internet.`
  return undefined
}
