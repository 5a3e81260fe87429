import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './support/api.ts'

const to = CUSTOMER
const text = (value: string) => ({ type: 'text', text: value })
const body = (...values: string[]) => ({ type: 'body', parameters: values.map(text) })

function sendTemplate(emulator: Emulator, components?: unknown, name = 'order_ready', language = 'sw') {
  return send(emulator, {
    to,
    type: 'template',
    template_name: name,
    template_language: language,
    ...(components === undefined ? {} : { template_components: components }),
  })
}

const RICH = {
  name: 'order_ready',
  language: 'sw',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Duka la {{1}}' },
    { type: 'BODY', text: 'Oda {{1}} iko tayari, {{2}}. Asante {{2}}' },
    { type: 'FOOTER', text: 'Karibu tena' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Nakuja' },
        { type: 'URL', text: 'Fuatilia', url: 'https://x.test/{{1}}' },
        { type: 'URL', text: 'Duka', url: 'https://x.test' },
      ],
    },
  ],
}
const suffix = { type: 'button', sub_type: 'url', index: '1', parameters: [text('7781')] }
const full = [{ type: 'header', parameters: [text('Asha')] }, body('7781', 'Juma'), suffix]

describe('a template send', () => {
  it('fills the parameters in order, header and body counted separately [E SEND-13]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add(RICH)
    const { status, json } = await sendTemplate(emulator, full)
    expect(status).toBe(200)
    expect(json).toMatchObject({ message_type: 'template', template_name: 'order_ready' })
    expect(await emulator.customer(to).thread()).toMatchObject([
      {
        kind: 'template',
        text: 'Duka la Asha\nOda 7781 iko tayari, Juma. Asante Juma\nKaribu tena',
        template: { name: 'order_ready', language: 'sw', body: ['7781', 'Juma'] },
      },
    ])
  })

  it('answers 400 with no code if the parameters do not match the approved shape [E SEND-13]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add(RICH)
    const [header, , button] = full
    const mismatches = {
      'none at all': undefined,
      'one too few in the body': [header, body('7781'), button],
      'no header': [body('7781', 'Juma'), button],
      'no suffix of the dynamic button': [header, body('7781', 'Juma')],
      'a suffix as a quick reply': [header, body('7781', 'Juma'), { ...suffix, sub_type: 'quick_reply' }],
      'a quick reply as an address': [...full, { ...suffix, index: '0' }],
      'a button that is not there': [...full, { ...suffix, index: '3' }],
      'a button twice': [...full, suffix],
      'the body twice': [...full, body('7781', 'Juma')],
    }
    for (const [name, components] of Object.entries(mismatches)) {
      const { status, json } = await sendTemplate(emulator, components)
      expect([status, json], name).toEqual([400, { message: expect.any(String) }])
    }
  })

  it('accepts a media header of the approved kind, and refuses another [E SEND-12]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({
      name: 'receipt',
      language: 'sw',
      components: [
        { type: 'HEADER', format: 'DOCUMENT' },
        { type: 'BODY', text: 'Risiti yako' },
      ],
    })
    const link = 'https://media.example.test/1'
    const header = (parameter: object) => [{ type: 'header', parameters: [parameter] }]
    const document = header({ type: 'document', document: { link, filename: 'risiti.pdf' } })
    expect((await sendTemplate(emulator, document, 'receipt')).status).toBe(200)
    expect((await sendTemplate(emulator, header({ type: 'image', image: { link } }), 'receipt')).status).toBe(400)
    const unsafe = header({ type: 'document', document: { link: 'http://media.example.test/1' } })
    expect((await sendTemplate(emulator, unsafe, 'receipt')).json.code).toBe('validation_error')
    expect((await sendTemplate(emulator, [{ type: 'footer' }], 'receipt')).json.code).toBe('validation_error')
  })

  it('names the existing languages if the requested one was never submitted: there is no fallback [E SEND-11]', async () => {
    await using emulator = await createEmulator()
    for (const language of ['sw', 'en_US']) await emulator.templates.add({ name: 'hello', language, body: 'Habari' })
    const { status, json } = await sendTemplate(emulator, undefined, 'hello', 'en')
    expect([status, json.code]).toEqual([400, 'invalid_template'])
    expect(json.message).toContain('sw')
    expect(json.message).toContain('en_US')
    expect((await send(emulator, { to, type: 'template', template_name: 'hello' })).json.code).toBe('validation_error')
  })

  it('answers 422 template_not_found for a template that the account does not have [E SEND-14]', async () => {
    await using emulator = await createEmulator()
    for (const name of ['nothing', '__proto__', 'constructor'])
      expect(await sendTemplate(emulator, undefined, name)).toMatchObject({
        status: 422,
        json: { code: 'template_not_found' },
      })
  })

  it('refuses states that the upstream platform will not send, and sends FLAGGED and LOCKED [E SEND-15]', async () => {
    await using emulator = await createEmulator()
    const { id } = await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari' })
    const outcome = async (status: string) => {
      const changed = await control(emulator, 'PATCH', `templates/${id}`, { status })
      expect(changed.json.status).toBe(status)
      const sent = await sendTemplate(emulator, undefined, 'hello')
      expect(sent.status === 200, status).toBe(changed.json.sendable)
      return sent.status === 200 ? 'sent' : `${sent.status} ${sent.json.code}`
    }
    for (const status of ['APPROVED', 'FLAGGED', 'LOCKED']) expect(await outcome(status), status).toBe('sent')
    for (const status of ['REJECTED', 'PAUSED', 'DISABLED', 'ARCHIVED', 'PENDING', 'NEVER_HEARD_OF'])
      expect(await outcome(status), status).toBe('400 invalid_template')
  })

  it.each(['', ' ', 'a\nb', 'a\rb', 'a\tb', 'a     b'])(
    'answers 400 with no code, labelled as assumed, to the parameter %j, unless a switch sends it [E SEND-13]',
    async (value) => {
      await using emulator = await createEmulator()
      await emulator.templates.add(RICH)
      const [header, , button] = full
      const sends: object[][] = [
        [header as object, body('7781', value), button as object],
        [{ type: 'header', parameters: [text(value)] }, body('7781', 'Juma'), button as object],
        [header as object, body('7781', 'Juma'), { ...suffix, parameters: [text(value)] }],
      ]
      for (const [at, components] of sends.entries()) {
        const { status, json } = await sendTemplate(emulator, components)
        expect([status, json]).toEqual([400, { message: expect.any(String) as string, assumed: 'templateParameters' }])
        expect(json['message']).toContain(
          ['Parameter 2 of the body', 'Parameter 1 of the header', 'Parameter 1 of the button 1'][at],
        )
      }
      await emulator.assumptions.set({ templateParameters: 'send' })
      for (const components of sends) expect((await sendTemplate(emulator, components)).status).toBe(200)
    },
  )

  it.each(['a b', 'a    b', ' a', '.', '👍'])('sends the parameter %j [E SEND-13]', async (value) => {
    await using emulator = await createEmulator()
    await emulator.templates.add(RICH)
    const [header, , button] = full
    expect((await sendTemplate(emulator, [header as object, body('7781', value), button as object])).status).toBe(200)
  })

  it('sends a template in an unknown state with a switch [E SEND-15]', async () => {
    await using emulator = await createEmulator({ assumptions: { unknownTemplateState: 'send' } })
    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari', status: 'NEVER_HEARD_OF' })
    expect((await sendTemplate(emulator, undefined, 'hello')).status).toBe(200)
  })

  it('returns the payload of a quick reply that the customer taps [E SEND-12]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add(RICH)
    const quick = {
      type: 'button',
      sub_type: 'quick_reply',
      index: '0',
      parameters: [{ type: 'payload', payload: 'COMING:7781' }],
    }
    expect((await sendTemplate(emulator, [...full, quick])).status).toBe(200)
    await control(emulator, 'POST', `customers/${to}/messages`, { quickReply: 'COMING:7781' })
    expect((await emulator.customer(to).thread()).at(-1)).toMatchObject({
      direction: 'INBOUND',
      kind: 'button',
      text: 'Nakuja',
    })
  })
})
