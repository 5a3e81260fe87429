import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openConversation } from '../../../src/kit/cli/dev/terminal.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { freePort } from '../../support/free-port.ts'
import { ASHA, JUMA } from '../../support/people.ts'

const FIRST = '109871234500011'
const SECOND = '109871234500012'

let emulator: Emulator
let talk: ReturnType<typeof openConversation>
let lines: string[]

beforeEach(async () => {
  emulator = await createEmulator({ webhook: `http://127.0.0.1:${await freePort()}/` })
  lines = []
  const addresses = ['Deliveries go to http://127.0.0.1:3000/']
  const print = (line: string) => lines.push(line)
  talk = openConversation(emulator, { customer: ASHA, numbers: [FIRST, SECOND], addresses, print })
})
afterEach(() => emulator.close())

async function send(message: object, token = emulator.accessToken): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  await fetch(`${emulator.url}/api/v2/messages`, { method: 'POST', headers, body: JSON.stringify(message) })
}

describe('the conversation at the prompt', () => {
  it('switches to another customer, and refuses an invalid phone number', async () => {
    await talk.handleLine(`/as ${JUMA}`)
    expect(talk.customer()).toBe(JUMA)
    for (const wrong of ['/as', '/as fred', '/as 12345', `/as ${'1'.repeat(21)}`])
      await expect(talk.handleLine(wrong)).rejects.toThrow('/as needs the 6 to 20 digits')
    expect(talk.customer()).toBe(JUMA)
    await talk.printNew()
  })

  it('sends the typed text, and shows each new message once', async () => {
    await talk.handleLine('hello')
    await send({ to: ASHA, type: 'text', text: 'How can we help?' })
    await talk.printNew()
    await talk.printNew()
    expect(lines).toEqual(['  < How can we help?'])
  })

  it('escapes terminal controls in a bot’s messages', async () => {
    await talk.handleLine('hello')
    await send({ to: ASHA, type: 'text', text: 'Red \u001B[31m, gone \u001B[2J, back\u202E, family 👩\u200D👧' })
    await talk.printNew()
    expect(lines).toEqual(['  < Red \\u001b[31m, gone \\u001b[2J, back\\u202e, family 👩\u200D👧'])
  })

  it('shows refused messages with the reason', async () => {
    await talk.handleLine('hello')
    await talk.handleLine('/clock 25h')
    await send({ to: ASHA, type: 'text', text: 'Too late' })
    await talk.printNew()
    expect(lines.join()).toMatch(/x not sent: Too late\n {4}outside_messaging_window: /)
  })

  it('shows why a message did not reach the phone', async () => {
    await talk.handleLine('hello')
    await emulator.customer(ASHA).setHandset({ blocked: true })
    await send({ to: ASHA, type: 'text', text: 'How can we help?' })
    const look = async () => {
      await talk.printNew()
      return lines
    }
    await expect
      .poll(look)
      .toEqual([
        '  < How can we help?',
        '  x did not arrive: How can we help?\n    The customer has blocked this number.',
      ])
  })

  it('repeats messages that its customer writes elsewhere, such as on the page, and not those typed here', async () => {
    await emulator.account.set({ numbers: [{ id: FIRST }, { id: SECOND, accessToken: 'wholesale' }] })
    const [asha, juma] = [ASHA, JUMA].map((digits) => emulator.customer(digits))
    await Promise.all([talk.handleLine('typed'), talk.printNew()])
    await asha?.says('hello')
    const buttons = [{ id: 'track', title: 'Track order' }]
    await send({ to: ASHA, type: 'interactive', interactive: { type: 'buttons', body: 'How can we help?', buttons } })
    await asha?.taps('track')
    await asha?.sendsMedia({ kind: 'image', caption: 'This one' })
    await asha?.sendsMedia({ kind: 'document' })
    await emulator.customer(ASHA, { number: SECOND }).says('in bulk')
    await juma?.says('me too')
    await talk.printNew()
    await talk.printNew()
    const picture = 'https://media.example/file'
    expect(lines.splice(0)).toEqual([
      `${ASHA} > hello`,
      '  < How can we help?\n    1  Track order',
      `${ASHA} > Track order`,
      `${ASHA} > [image ${picture}] This one`,
      `${ASHA} > [document ${picture}]`,
      `${ASHA} to ${SECOND} > in bulk`,
    ])
    await talk.handleLine(`/as ${JUMA}`)
    await talk.printNew()
    expect(lines).toEqual([`${JUMA} > me too`])
  })

  it('shows a link with its footer, and the sections and descriptions of a list', async () => {
    await talk.handleLine('hello')
    const cta = { display_text: 'Open', url: 'https://shop.example/7781' }
    await send({ to: ASHA, type: 'interactive', interactive: { type: 'cta_url', body: 'Pay', footer: 'Safe', cta } })
    const sections = [
      { title: 'Orders', rows: [{ id: 'track', title: 'Track order', description: 'Where it is' }] },
      { title: 'Other', rows: [{ id: 'hours', title: 'Hours' }] },
    ]
    await send({ to: ASHA, type: 'interactive', interactive: { type: 'list', body: 'Which one?', sections } })
    await talk.printNew()
    expect(lines).toEqual([
      '  < Pay\n    [footer Safe]\n    [link Open → https://shop.example/7781]',
      '  < Which one?\n    Orders\n    1  Track order — Where it is\n    Other\n    2  Hours',
    ])
    await talk.handleLine('2')
    expect((await emulator.customer(ASHA).thread()).at(-1)).toMatchObject({ kind: 'interactive', text: 'Hours' })
  })

  it('shows a template with the file of its header and its quick replies, which a number taps', async () => {
    await emulator.templates.add({
      name: 'invoice',
      language: 'en',
      components: [
        { type: 'HEADER', format: 'DOCUMENT' },
        { type: 'BODY', text: 'Your invoice' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
      ],
    })
    const header = { type: 'document', document: { link: 'https://shop.example/1', filename: 'invoice.pdf' } }
    const template_components = [
      { type: 'header', parameters: [header] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'thanks' }] },
    ]
    await send({ to: ASHA, type: 'template', template_name: 'invoice', template_language: 'en', template_components })
    await talk.printNew()
    expect(lines).toEqual(['  < [template invoice] [document invoice.pdf] Your invoice\n    1  Thanks'])
    await talk.handleLine('1')
    expect((await emulator.customer(ASHA).thread()).at(-1)).toMatchObject({ kind: 'button', text: 'Thanks' })
  })

  it('sends a sample or a file on /send, and explains the expected form of anything else', async () => {
    const sent = async () => (await emulator.customer(ASHA).thread()).map(({ kind, media }) => [kind, media?.filename])
    for (const what of ['picture', 'voice', 'document', import.meta.filename]) await talk.handleLine(`/send ${what}`)
    expect(await sent()).toEqual([
      ['image', undefined],
      ['audio', undefined],
      ['document', undefined],
      ['document', 'dev-talk.test.ts'],
    ])
    await expect(talk.handleLine('/send')).rejects.toThrow('/send needs picture, voice, document or the path of a file')
    await expect(talk.handleLine('/send no file.jpg')).rejects.toThrow('no file.jpg cannot be read')
  })

  it('writes to another of several numbers, and shows the number of each message', async () => {
    const { accessToken } = emulator
    await emulator.account.set({ numbers: [{ id: FIRST }, { id: SECOND, accessToken: 'wholesale' }] })
    await expect(talk.handleLine('/number 4711')).rejects.toThrow(
      `/number needs one of your numbers: ${FIRST}, ${SECOND}`,
    )
    await talk.handleLine(`/number ${SECOND}`)
    expect(talk.number()).toBe(SECOND)
    await talk.handleLine('hello')
    expect((await emulator.customer(ASHA).thread()).map(({ number }) => number)).toEqual([SECOND])
    await send({ to: ASHA, type: 'text', text: 'Wholesale here' }, 'wholesale')
    await talk.printNew()
    expect(lines).toEqual([`  < [from ${SECOND}] Wholesale here`])
    await talk.handleLine(`/number ${FIRST}`)
    expect([talk.number(), emulator.accessToken]).toEqual([undefined, accessToken])
    await talk.handleLine('/help')
    expect(lines.at(-1)).toContain(`/number ${SECOND} `)
  })

  it('sends a text that begins with a slash if it is doubled', async () => {
    await talk.handleLine('//start now')
    expect((await emulator.customer(ASHA).thread()).map(({ text }) => text)).toEqual(['/start now'])
  })

  it('accepts a span as `switchhook clock` does, and explains the expected form of anything else', async () => {
    await talk.handleLine('/clock +25h')
    const clock = await fetch(`${emulator.url}/_emulator/clock`)
    expect(await clock.json()).toMatchObject({ offsetMs: 90_000_000 })
    await talk.handleLine('/clock 23h59m')
    const later = await fetch(`${emulator.url}/_emulator/clock`)
    expect(await later.json()).toMatchObject({ offsetMs: 90_000_000 + 86_340_000 })
    for (const wrong of ['/clock', '/clock 25', '/clock soon'])
      await expect(talk.handleLine(wrong)).rejects.toThrow('/clock needs a span: /clock 25h')
  })

  it('reports that a message is not delivered because the endpoint is disabled', async () => {
    await emulator.assumptions.set({ retryAfterMs: [] })
    for (let index = 0; index < 20; index++) await talk.handleLine('hello')
    await expect.poll(async () => (await emulator.subscriptions.list())[0]?.state).toBe('disabled')
    await talk.handleLine('anybody there?')
    expect(lines.join()).toContain('x not delivered: the endpoint is disabled')
  })
})
