import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiError, Client } from '../../src/client/client.ts'
import * as say from '../../src/service/interactive.ts'
import { oneTimeCode } from '../../src/service/one-time-code.ts'
import { template } from '../../src/service/template.ts'
import type { encodeSend } from '../../src/service/wire.ts'
import { ASHA, clientOf, type Counterpart, refusedBy } from './counterparts/counterpart.ts'
import { overTheEmulator } from './counterparts/emulator.ts'

const PICTURE = 'https://cdn.example.com/a.jpg'
const option = { id: 'track', title: 'Track order' }
const keyed = { idempotencyKey: 'order-7781-ready' }

const EVERY_CONTENT: readonly (readonly [string, Parameters<typeof encodeSend>[0]])[] = [
  ['a string [C SEND-03]', 'Habari 👋'],
  ['a text [C SEND-03]', say.text('x'.repeat(4096))],
  ['an image [C SEND-05]', say.image(PICTURE, { caption: '👍'.repeat(1024) })],
  ['a document [C SEND-04]', say.document(PICTURE, { filename: '7781.pdf', caption: 'Receipt' })],
  ['a video [C SEND-05]', say.video(PICTURE)],
  ['audio [C SEND-05]', say.audio(PICTURE)],
  [
    'buttons [C SEND-07]',
    say.buttons('b', [{ id: 'x'.repeat(256), title: '👍'.repeat(20) }], { footer: 'x'.repeat(60) }),
  ],
  [
    'a list [C SEND-08]',
    say.list('b', { S: [option], T: [{ ...option, id: 'other', description: 'd' }] }, { button: 'Show' }),
  ],
  ['a link [C SEND-09]', say.link('b', { title: 'Open', url: 'https://shop.example/7781' })],
  ['a template [C SEND-11, C SEND-13]', template('order_ready', 'sw', { body: ['7781', 'imefika'] })],
  [
    'a template with every kind of parameter [C SEND-12]',
    template('receipt', 'en_US', {
      header: { document: PICTURE, filename: '7781.pdf' },
      body: ['7781'],
      buttons: ['orders/7781', null, { payload: 'stop' }],
    }),
  ],
  ['a one-time code [C OTP-01, C OTP-03]', oneTimeCode('login_code', 'sw', '004711')],
]

const RECEIPT = [
  { type: 'HEADER', format: 'DOCUMENT' },
  { type: 'BODY', text: 'Receipt of {{1}}' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}' },
      { type: 'URL', text: 'Shop', url: 'https://shop.example' },
      { type: 'QUICK_REPLY', text: 'Stop' },
    ],
  },
]

describe('against the emulator', () => {
  let there: Counterpart
  let client: Client
  const refused = (call: Promise<unknown>) => refusedBy(there, call)

  beforeEach(async () => {
    there = await overTheEmulator()
    client = clientOf(there)
    await there.customerWrites(ASHA)
    await there.addTemplate({ name: 'order_ready', language: 'sw', body: 'Oda {{1}}: {{2}}' })
    await there.addTemplate({ name: 'receipt', language: 'en_US', components: RECEIPT })
    await there.addTemplate({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
  })
  afterEach(() => there[Symbol.asyncDispose]())

  it.each(EVERY_CONTENT)('%s is accepted and arrives once', async (_, content) => {
    const accepted = await client.messages.send(`+${ASHA}`, content, keyed)
    expect(accepted).toMatchObject({ replayed: false, attempts: 1 })
    expect(await there.arrived(ASHA)).toBe(1)
  })

  it('the same send is reported as a replay, and does not arrive a second time [C IDEM-08]', async () => {
    const first = await client.messages.send(ASHA, 'hi', keyed)
    const second = await client.messages.send(ASHA, 'hi', keyed)
    expect(second).toMatchObject({ replayed: true, attempts: 1, message: { id: first.message.id } })
    expect(await there.arrived(ASHA)).toBe(1)
  })

  it.each([
    ['a text', 'hi', 'hello'],
    ['a code', oneTimeCode('login_code', 'sw', '004711'), oneTimeCode('login_code', 'sw', '004712')],
  ] as const)(
    'another body under a used key is refused, and not sent under a fresh one: %s [C OTP-08, C ERR-01, F-68]',
    async (_, one, other) => {
      await client.messages.send(ASHA, one, keyed)
      const error = await refused(client.messages.send(ASHA, other, keyed))
      expect(error).toMatchObject({
        code: 'idempotency_key_reused',
        attempts: 1,
        outcome: 'not_sent',
        retryable: false,
      })
    },
  )

  it.each(['lose_answer', 'unreadable_answer'] as const)(
    'a send with a lost answer is repeated under the same key, and the message arrives once: %s [C IDEM-07, F-66]',
    async (fault) => {
      await there.faults({ do: fault })
      const accepted = await client.messages.send(ASHA, 'hi', keyed)
      expect(accepted).toMatchObject({ replayed: true, attempts: 2 })
      expect(await there.arrived(ASHA)).toBe(1)
    },
  )

  it('a send without a key is not repeated after a lost answer, and reports that it may have arrived [C ERR-04]', async () => {
    await there.faults({ do: 'lose_answer' })
    const call = client.messages.send(ASHA, 'hi', { idempotencyKey: null })
    await expect(call).rejects.toMatchObject({ outcome: 'unknown', attempts: 1, reason: 'connection' })
    expect(await there.arrived(ASHA)).toBe(1)
  })

  it('a key in flight is awaited, not replaced [C ERR-03, F-67]', async () => {
    await there.faults({ do: 'hold_key', answers: 2 })
    expect(await client.messages.send(ASHA, 'hi', keyed)).toMatchObject({ replayed: true, attempts: 4 })
    expect(await there.arrived(ASHA)).toBe(1)
  })

  it('a closed window is not retried, and a template is accepted in it [C ERR-03, F-69]', async () => {
    await there.aDayPasses()
    const error = await refused(client.messages.send(ASHA, 'hi', keyed))
    expect(error).toMatchObject({ code: 'outside_messaging_window', attempts: 1, outcome: 'not_sent' })
    const content = template('order_ready', 'sw', { body: ['7781', 'imefika'] })
    await client.messages.send(ASHA, content, { idempotencyKey: 'order-7781-ready:fallback' })
    expect(await there.arrived(ASHA)).toBe(1)
  })

  it.each(['flat', 'detail'] as const)(
    'a malformed body causes one class of error in either form: %s [C ERR-02, F-72]',
    async (form) => {
      await there.validation(form)
      const buttons = [{ id: 'i', title: 'x'.repeat(21) }]
      const body = JSON.stringify({
        to: ASHA,
        type: 'interactive',
        interactive: { type: 'buttons', body: 'b', buttons },
      })
      const error = await refused(client.attempt({ body, ...keyed }))
      expect(error).toMatchObject({ status: 422, code: 'validation_error', attempts: 1, outcome: 'not_sent' })
      if (form === 'detail')
        expect((error as ApiError).detail.join()).toContain('body.interactive.buttons[0].title: must have 1 to 20')
    },
  )

  it('a replaced token ends the call, unless the function returns the new one [C AUTH-01, C AUTH-02]', async () => {
    const old = there.token()
    const [fixed, asking] = [clientOf(there, { accessToken: old }), clientOf(there)]
    await asking.messages.send(ASHA, 'hi', { idempotencyKey: 'before' })
    await there.account({ rotate: true })
    const error = await refused(fixed.messages.send(ASHA, 'hi', keyed))
    expect(error).toMatchObject({ code: 'not_authenticated', attempts: 1 })
    const known = [old, there.token()]
    const late = clientOf(there, { accessToken: () => known.shift() ?? there.token() })
    expect(await late.messages.send(ASHA, 'hi', keyed)).toMatchObject({ attempts: 2 })
    expect(await asking.templates.list()).toMatchObject({ has_more: false })
  })

  it('a token of two numbers needs the id of one, on every endpoint [C AUTH-05, C SEND-19, C GEN-03]', async () => {
    const numbers = await there.secondNumber()
    for (const call of [() => client.messages.send(ASHA, 'hi', keyed), () => client.templates.list()])
      expect(await refused(call())).toMatchObject({ code: 'ambiguous_number', phoneNumberIds: numbers, attempts: 1 })
    const named = clientOf(there, { phoneNumberId: numbers[0] })
    await named.messages.send(ASHA, 'hi', keyed)
    await named.templates.list()
    const foreign = await refused(named.messages.send(ASHA, 'hi', { idempotencyKey: 'k', phoneNumberId: '777' }))
    expect(foreign).toMatchObject({ code: 'number_not_for_token' })
  })

  it('templates are read page by page, once per language, newest first [C TPL-01, C TPL-02, C TPL-04, C TPL-06]', async () => {
    await there.addTemplate({ name: 'order_ready', language: 'en', body: 'x', status: 'PAUSED' })
    const names: string[] = []
    for await (const { name, language, sendable } of client.templates.iterate({ limit: 1 }))
      names.push(`${name}/${language}${sendable ? '' : ' no'}`)
    expect(names).toEqual(['order_ready/en no', 'login_code/sw', 'receipt/en_US', 'order_ready/sw'])
    const unsendable = await client.templates.list({ sendable: false })
    expect(unsendable.items.map(({ name, language }) => `${name}/${language}`)).toEqual(['order_ready/en'])
    expect(unsendable.items[0]?.unsendable_reason).toMatch(/./)
    expect(await client.templates.find({ name: 'order_ready', language: 'sw' })).toMatchObject({ sendable: true })
    expect(await client.templates.find({ name: 'order_ready', language: 'sw_KE' })).toBeUndefined()
  })
})
