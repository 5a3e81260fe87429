import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callAsCurl, deliveryAsCurl } from '../../src/page/text/commands.ts'
import { firstDifference, reserialisedAt } from '../../src/page/timeline/cause.ts'
import { callAsFixture, deliveryAsFixture, deliveryAsTest } from '../../src/page/timeline/copies.ts'
import type { Attempt, Call, Delivery, ThreadItem } from '../../src/page/wire/types.ts'
import { runAsTest } from '../support/run-as-test.ts'

const ASHA = '255712000101'
const BODY = `{"id":"msg_1","text":"it's \\"$HOME\\" \`pwd\` \\\\ é"}`

const attempt: Attempt = {
  at: '2026-03-04T09:00:00.000Z',
  tookMs: 5,
  status: 200,
  request: {
    url: 'http://127.0.0.1:3000/webhooks/messages',
    headers: { 'Content-Type': 'application/json', 'Content-Length': '44', 'X-Service-Signature': 'sha256=00ff' },
    body: BODY,
  },
  response: { headers: {}, body: '' },
}

/** The bot that the copied tests run against. */
const SHOP = `import { createBot } from 'switchhook'
import { shop } from '${resolve(import.meta.dirname, 'support/shop.ts')}'
export const bot = createBot()
shop(bot)
`

function deliveryOf(about: Partial<Delivery> = {}): Delivery {
  return {
    id: '01J',
    eventId: 'evt_1',
    at: attempt.at,
    event: 'message.received',
    subscription: 'sub_1',
    customer: ASHA,
    message: 'msg_1',
    state: 'delivered',
    attempts: [attempt],
    signatures: [],
    ...about,
  }
}

function callOf(body: string | null): Call {
  return {
    id: 'call_1',
    at: attempt.at,
    tookMs: 3,
    method: 'POST',
    path: '/api/v2/messages?x=1&y=2',
    status: 200,
    request: {
      headers: { host: '127.0.0.1:1', authorization: 'Bearer sk_…abcd', 'idempotency-key': 'a b', connection: 'close' },
      body,
    },
    response: { headers: {}, body: '{"id":"msg_2"}' },
  }
}

/** The arguments that curl would get from a shell. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`
  const env = { SWITCHHOOK_ACCESS_TOKEN: 'the-token', HOME: '/nowhere' }
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1)
}

function item(about: Partial<ThreadItem>): ThreadItem {
  return {
    id: 'msg',
    direction: 'INBOUND',
    kind: 'text',
    text: null,
    content: null,
    status: null,
    at: attempt.at,
    ...about,
  }
}

describe('a copy as curl', () => {
  it('has the exact bytes and headers of a delivery, whatever they contain', () => {
    expect(argumentsOf(deliveryAsCurl(attempt))).toEqual([
      '-i',
      '-X',
      'POST',
      'http://127.0.0.1:3000/webhooks/messages',
      '-H',
      'Content-Type: application/json',
      '-H',
      'X-Service-Signature: sha256=00ff',
      '--data-raw',
      BODY,
    ])
  })

  it('of a call takes the token from the environment, and never contains it', () => {
    const command = callAsCurl(callOf(BODY), 'http://127.0.0.1:4010')
    expect(command).not.toContain('abcd')
    expect(argumentsOf(command)).toEqual([
      '-i',
      '-X',
      'POST',
      'http://127.0.0.1:4010/api/v2/messages?x=1&y=2',
      '-H',
      'Authorization: Bearer the-token',
      '-H',
      'idempotency-key: a b',
      '--data-raw',
      BODY,
    ])
  })

  it('of a call with a withheld body takes the body from a file [OTP-06]', () => {
    expect(argumentsOf(callAsCurl(callOf(null), '')).slice(-2)).toEqual(['--data', '@body.json'])
  })
})

describe('a copy as fixture', () => {
  it('of a delivery has the form that the command line takes: event and payload, and nothing else', () => {
    expect(JSON.parse(deliveryAsFixture(deliveryOf()))).toEqual({
      event: 'message.received',
      payload: JSON.parse(BODY),
    })
  })

  it('of a call has the request and the response, without headers', () => {
    expect(JSON.parse(callAsFixture(callOf(null)))).toEqual({
      request: { method: 'POST', path: '/api/v2/messages?x=1&y=2', body: null },
      response: { status: 200, body: { id: 'msg_2' } },
    })
  })
})

describe('a copy as test', () => {
  const thread = [
    item({ id: 'msg_0', text: 'before' }),
    item({ id: 'msg_1', text: 'hours' }),
    item({ id: 'msg_2', direction: 'OUTBOUND', text: '9 to 17', call: 'call_1' }),
    item({ id: 'msg_3', direction: 'OUTBOUND', text: 'the agent says', by: 'agent' }),
    item({ id: 'msg_4', text: 'thanks' }),
    item({ id: 'msg_5', direction: 'OUTBOUND', text: 'You are welcome', call: 'call_2' }),
  ]

  it("repeats the customer's message, and expects the app's replies", () => {
    const text = deliveryAsTest(deliveryOf(), thread)
    expect(text).toContain("it('answers “hours”'")
    expect(text).toContain("expect(await customer.says('hours')).toHaveSent([{ text: '9 to 17' }])")
    expect(text).not.toContain('welcome')
    expect(text).not.toContain('agent')
  })

  it('expects nothing if the reply was a template, whose text is not known', () => {
    const template = { name: 'order_ready', language: 'sw', body: [], components: [] }
    const sent = item({ id: 'msg_2', direction: 'OUTBOUND', text: 'Oda', call: 'call_1', template })
    expect(deliveryAsTest(deliveryOf(), [item({ id: 'msg_1', text: 'hours' }), sent])).toContain(
      "  await customer.says('hours')\n",
    )
  })

  it('delivers any other event with its exact payload, and a tap too', () => {
    const tapped = item({
      id: 'msg_1',
      kind: 'interactive',
      interactive: { type: 'button_reply', id: 'track', title: 'Track' },
    })
    expect(deliveryAsTest(deliveryOf(), [tapped])).toContain("await s.event('message.received', { id: 'msg_1'")
    expect(deliveryAsTest(deliveryOf({ event: 'order.paid', message: null }), [])).toContain(
      "await s.event('order.paid'",
    )
  })

  it('of a tap first repeats the message that brought the option, and passes', () => {
    const options = {
      type: 'buttons' as const,
      body: 'How can we help?',
      buttons: [{ id: 'track', title: 'Track order' }],
    }
    const talk = [
      item({ id: 'msg_0', text: 'hours' }),
      item({ id: 'msg_a', direction: 'OUTBOUND', text: '9 to 17', call: 'call_0' }),
      item({ id: 'msg_b', text: "hello, it's me" }),
      item({ id: 'msg_c', direction: 'OUTBOUND', kind: 'interactive', interactive: options, call: 'call_1' }),
      item({
        id: 'msg_1',
        kind: 'interactive',
        interactive: { type: 'button_reply', id: 'track', title: 'Track order' },
      }),
      item({ id: 'msg_d', direction: 'OUTBOUND', text: 'On its way', call: 'call_2' }),
    ]
    const text = deliveryAsTest(deliveryOf(), talk) ?? ''
    expect(text).toContain("await customer.says('hello, it\\'s me')")
    expect(text).toContain("expect(await customer.taps('Track order')).toHaveSent([{ text: 'On its way' }])")
    expect(text).not.toContain('hours')
    expect(runAsTest(text, SHOP).said).toContain('1 passed')
    expect(runAsTest(text.replace('On its way', 'Not yet'), SHOP).status).toBe(1)
  })

  it("repeats the customer's last text first if the tapped option is unknown, since that opens the window", () => {
    const talk = [
      item({ id: 'msg_b', text: 'hello' }),
      item({ id: 'msg_1', kind: 'interactive', interactive: { type: 'button_reply', id: 'track', title: 'Track' } }),
    ]
    const text = deliveryAsTest(deliveryOf(), talk)
    expect(text).toMatch(/await customer\.says\('hello'\)\n {2}await s\.event\('message\.received', \{/)
  })

  it('sends the same media, and writes to the same number', () => {
    const picture = { kind: 'image', url: 'https://media.example.com/a.jpg', caption: 'this' }
    const sent = item({ id: 'msg_1', kind: 'image', text: 'this', media: picture, number: '109871234500012' })
    const text = deliveryAsTest(deliveryOf(), [sent])
    expect(text).toContain("s.customer('255712000101', { number: '109871234500012' })")
    expect(text).toContain("await customer.sends('image', { url: 'https://media.example.com/a.jpg', caption: 'this' })")
  })

  it('does not exist if the body is no JSON object', () => {
    const broken = { ...attempt, request: { ...attempt.request, body: '{"a":1!' } }
    expect(deliveryAsTest(deliveryOf({ message: null, attempts: [broken] }), [])).toBeUndefined()
  })
})

describe('the first difference', () => {
  it('is the first index at which two texts differ', () => {
    expect(firstDifference('abc', 'abc')).toBeUndefined()
    expect(firstDifference('abc', 'abd')).toBe(2)
    expect(firstDifference('abc', 'ab')).toBe(2)
  })

  it('of a body that a parser has written again is counted in bytes', () => {
    expect(reserialisedAt('{"é":1, "b":2}')).toBe(8)
    expect(reserialisedAt('{"a":1}')).toBeUndefined()
    expect(reserialisedAt('no JSON')).toBeUndefined()
  })
})
