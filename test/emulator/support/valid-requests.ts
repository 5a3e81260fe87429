import { CUSTOMER as to } from './api.ts'

type Request = readonly [method: string, path: string, body: object]

const interactive = (it: object) => ({ to, type: 'interactive', interactive: { body: 'x', ...it } })
const template = { to, type: 'template', template_name: 'order_ready', template_language: 'sw' }
const named = { name: 'a', language: 'sw' }
const URL_BUTTON = { type: 'URL', text: 'Track', url: 'https://shop.example.com/{{1}}' }
const BUTTONS = { type: 'BUTTONS', buttons: [URL_BUTTON] }

const SENDS: readonly object[] = [
  { to, type: 'text', text: 'Habari' },
  { to, type: 'image', media_url: 'https://media.example.com/1.jpg', media_caption: 'x' },
  interactive({ type: 'buttons', buttons: [{ id: 'a', title: 'A' }] }),
  interactive({ type: 'list', sections: [{ rows: [{ id: 'a', title: 'A' }] }] }),
  interactive({ type: 'cta_url', cta: { display_text: 'x', url: 'https://a.b' } }),
  { ...template, template_components: [{ type: 'body', parameters: [{ type: 'text', text: '7' }] }] },
]

const OF_CUSTOMERS: readonly Request[] = [
  ['POST', 'messages', { text: 'Habari', number: '109871234500011' }],
  ['POST', 'messages', { tap: { id: 'a', title: 'A' } }],
  ['POST', 'messages', { media: { kind: 'audio', url: 'https://a.b', mime: 'audio/ogg', durationMs: 1 } }],
  ['POST', 'statuses', { status: 'read' }],
  ['PUT', 'handset', { online: false, receipts: true, blocked: false }],
  ['POST', 'replies', { text: 'Karibu' }],
]

const OF_THE_WORLD: readonly Request[] = [
  ['POST', 'clock', { advance: '25h' }],
  ['POST', 'clock', { now: '2026-03-04T09:00:00Z' }],
  ['POST', 'subscriptions', { url: 'http://127.0.0.1:9/x', secret: 's' }],
  ['POST', 'templates', { ...named, body: 'x {{1}}', status: 'PAUSED', qualityScore: 'RED' }],
  ['POST', 'templates', { ...named, components: [{ type: 'BODY', text: 'x' }, BUTTONS] }],
  ['POST', 'templates', { ...named, category: 'AUTHENTICATION', expiryMinutes: 5, buttonText: 'x' }],
  ['POST', 'media', { name: 'a.png', base64: 'iVBORw0KGgo=' }],
  ['POST', 'events', { event: 'order.paid', payload: { a: 1 } }],
  ['POST', 'events', { event: 'message.received', customer: to }],
  ['PUT', 'account', { plan: { api: true, contactLimit: 5 }, suspended: false, callbackOverride: false }],
  ['PUT', 'account', { takeoverWindow: '2h', rotate: true }],
  ['PUT', 'account', { numbers: [{ id: '1', display: '255712000999', connected: true, accessToken: 't' }] }],
  ['PUT', 'faults', { rules: [{ on: 'send', do: 'status', status: 429, next: 1, to }] }],
  ['PUT', 'faults', { rules: [{ on: 'delivery', do: 'late', by: '10m', every: 2, event: 'message.received' }] }],
  ['PUT', 'assumptions', { retryAfterMs: [1], payloadShape: 3, statusAfterMs: { sent: 1, delivered: 1 } }],
  ['PUT', 'agent', { on: true, answersFirst: false }],
  ['POST', 'keys/release', { key: 'k' }],
]

const under = (prefix: string, requests: readonly Request[]) =>
  requests.map(([method, path, body]): Request => [method, `${prefix}/${path}`, body])

/** Requests that nothing is wrong with, over all of the API and the control API that takes a body. */
export const VALID_REQUESTS: readonly Request[] = [
  ...SENDS.map((body): Request => ['POST', '/api/v2/messages', body]),
  ...under(`/_emulator/customers/${to}`, OF_CUSTOMERS),
  ...under('/_emulator', OF_THE_WORLD),
]
