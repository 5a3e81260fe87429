import { type MessageType, WINDOW_MS, readsMember } from '../../contract/index.ts'
import { isPublicHost } from '../http/public-host.ts'
import type { ConnectedNumber } from '../model/account.ts'
import type { Assumptions } from '../model/assumptions.ts'
import type { State } from '../state.ts'
import type { Step } from './checks.ts'
import { type FilledTemplate, fillSend } from './fill-template.ts'
import { apiRefusal } from './refusals.ts'
import type { Send } from './validation.ts'

/** Everything that can refuse a well-formed send, in order; answers the template filled, where it is one. Changes nothing. */
export function approve(state: State, number: ConnectedNumber, send: Send, step: Step): FilledTemplate | undefined {
  const first = [checkContactLimit, checkWindow]
  for (const check of state.assumptions.checkedFirst === 'window' ? first.reverse() : first)
    check(state, number, send, step)
  const template = readsMember(send.type, 'template_name')
    ? fillSend(send, state.templates.of(number.id), state.assumptions, step)
    : undefined
  step('upstream')
  checkUpstream(state, number, send)
  return template
}

function checkContactLimit({ account }: State, _: ConnectedNumber, { to }: Send, step: Step): void {
  step('contact_limit')
  const { contactLimit } = account.plan
  if (contactLimit !== null && !account.contacts.has(to) && account.contacts.size >= contactLimit)
    throw apiRefusal('plan_limit_reached', `The plan's limit of ${contactLimit} contacts is reached.`)
}

/** A template is taken inside and outside the window (GEN-05). */
function checkWindow(state: State, number: ConnectedNumber, send: Send, step: Step): void {
  step('window')
  const lastInboundAt = state.phones.lastInboundAt(send.to, number.id)
  if (NEEDS_WINDOW[send.type] && !isWindowOpen(lastInboundAt, state.clock.now(), state.assumptions))
    throw apiRefusal(
      'outside_messaging_window',
      'The customer has not written within the last 24 hours; only a template can be sent.',
    )
}

function checkUpstream({ assumptions }: State, number: ConnectedNumber, send: Send): void {
  if (!number.connected) throw apiRefusal('send_failed', 'The number is not connected to the chat platform.')
  if (assumptions.privateMedia === 'accept') return
  const reason = mediaLinks(send)
    .map(unreachable)
    .find((found) => found !== undefined)
  if (reason !== undefined) throw apiRefusal('send_failed', `The chat platform refused the message: ${reason}`)
}

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

/** Whether a free-form message may go to a customer now: within 24 hours of the last inbound message (GEN-04). */
export function isWindowOpen(
  lastInboundAt: number | undefined,
  now: number,
  { windowAtExactly24h }: Pick<Assumptions, 'windowAtExactly24h'>,
): boolean {
  if (lastInboundAt === undefined) return false
  const age = now - lastInboundAt
  return age < WINDOW_MS || (age === WINDOW_MS && windowAtExactly24h === 'open')
}
