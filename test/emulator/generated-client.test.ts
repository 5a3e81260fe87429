import createClient from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { clientTypes } from './generator/generate.ts'
import type { components, paths } from './generator/service-types.ts'
import { CUSTOMER as to } from './support/api.ts'

type SendMessageIn = components['schemas']['SendMessageIn']
type ApiError = components['schemas']['Error'] | components['schemas']['ValidationErrors']

const MEDIA = 'https://media.example.com/shop'
const BUTTONS = [
  { id: 'yes', title: 'Yes' },
  { id: 'no', title: 'No' },
]
const SECTIONS = [{ title: 'Shoes', rows: [{ id: 's1', title: 'Sandals', description: 'From Arusha' }] }]
const CTA = { display_text: 'Track', url: 'https://shop.example.com/7781' }

/** Every kind of content, as the description's types let one write it: here a cast would be a fault of it. */
const CONTENTS: Record<string, Omit<SendMessageIn, 'to'>> = {
  'a text without a type': { text: 'Habari' },
  'a text': { type: 'text', text: 'Habari' },
  'an image': { type: 'image', media_url: `${MEDIA}/1.jpg`, media_caption: 'Sandals' },
  'a document': { type: 'document', media_url: `${MEDIA}/1.pdf`, media_filename: 'invoice.pdf', media_caption: null },
  'a video': { type: 'video', media_url: `${MEDIA}/1.mp4` },
  'a voice note': { type: 'audio', media_url: `${MEDIA}/1.ogg` },
  buttons: { type: 'interactive', interactive: { type: 'buttons', body: 'Ready?', footer: 'Duka', buttons: BUTTONS } },
  'a list': { type: 'interactive', interactive: { type: 'list', body: 'Which?', sections: SECTIONS } },
  'a link': { type: 'interactive', interactive: { type: 'cta_url', body: 'On its way', cta: CTA } },
  'a template': {
    type: 'template',
    template_name: 'order_ready',
    template_language: 'sw',
    template_components: [
      { type: 'header', parameters: [{ type: 'document', document: { link: `${MEDIA}/1.pdf`, filename: 'a.pdf' } }] },
      { type: 'body', parameters: [{ type: 'text', text: '7781' }] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'thanks' }] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: '7781' }] },
    ],
  },
  'a one-time code': {
    type: 'template',
    template_name: 'login_code',
    template_language: 'sw',
    template_components: [{ type: 'body', parameters: [{ type: 'text', text: '482913' }] }],
  },
}

async function addTemplates(emulator: Emulator): Promise<void> {
  await emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
  await emulator.templates.add({
    name: 'order_ready',
    language: 'sw',
    components: [
      { type: 'HEADER', format: 'DOCUMENT' },
      { type: 'BODY', text: 'Oda {{1}} iko tayari' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Asante' },
          { type: 'URL', text: 'Fuata', url: 'https://shop.example.com/{{1}}' },
        ],
      },
    ],
  })
}

function clientOf({ url: baseUrl, accessToken }: Pick<Emulator, 'url' | 'accessToken'>) {
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${accessToken}` } })
}

/** An error in either form, in one line. */
function describeError(error: ApiError | undefined): string {
  if (error === undefined) return 'no error'
  if ('detail' in error) return error.detail.map(({ loc, type }) => `${loc.join('.')} (${type})`).join(', ')
  return [error.code ?? 'no code', ...(error.phone_number_ids ?? [])].join(' ')
}

describe('a client generated from the description', () => {
  it('has the types that are stored beside this test [E GEN-11]', async () => {
    await using emulator = await createEmulator()
    await emulator.assumptions.set({ description: 'open' })
    const description = await (await fetch(`${emulator.url}/api/v2/openapi.json`)).text()
    await expect(await clientTypes(description)).toMatchFileSnapshot('generator/service-types.ts')
  })

  it('sends every kind of content, and reads the answers [E GEN-11 SEND-02]', async () => {
    await using emulator = await createEmulator()
    await addTemplates(emulator)
    await emulator.customer(to).says('Habari')
    const client = clientOf(emulator)
    for (const [what, content] of Object.entries(CONTENTS)) {
      const { data, error } = await client.POST('/api/v2/messages', { body: { to, ...content } })
      expect(error, what).toBeUndefined()
      expect([data?.message_type, data?.direction], what).toEqual([content.type ?? 'text', 'OUTBOUND'])
    }
    const interactive = (await emulator.customer(to).thread()).filter(({ kind }) => kind === 'interactive')
    expect(interactive).toHaveLength(3)
  })

  it('reads the rendering of an interactive message [E SEND-18]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const client = clientOf(emulator)
    const shown = async (what: string) => {
      const { data } = await client.POST('/api/v2/messages', { body: { to, ...CONTENTS[what] } })
      return data?.interactive
    }
    expect((await shown('buttons'))?.buttons?.map(({ id, title }) => `${id}: ${title}`)).toEqual(['yes: Yes', 'no: No'])
    expect((await shown('a link'))?.cta?.url).toBe(CTA.url)
    const list = await shown('a list')
    expect([list?.button_text, list?.sections?.[0]?.rows[0]?.description]).toEqual(['View', 'From Arusha'])
  })

  it('sends under a key, and detects a replay [E IDEM-03 IDEM-04]', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(to).says('Habari')
    const client = clientOf(emulator)
    const sendUnderKey = (text: string) =>
      client.POST('/api/v2/messages', { params: { header: { 'Idempotency-Key': 'order-7781' } }, body: { to, text } })
    const [first, again] = [await sendUnderKey('Ready'), await sendUnderKey('Ready')]
    expect(again.data?.id).toBe(first.data?.id)
    expect([first, again].map(({ response }) => response.headers.get('Idempotency-Replayed'))).toEqual([null, 'true'])
    expect(describeError((await sendUnderKey('Other')).error)).toBe('idempotency_key_reused')
  })

  it('lists templates over pages [E TPL-01 TPL-02]', async () => {
    await using emulator = await createEmulator()
    for (let n = 1; n <= 5; n++) await emulator.templates.add({ name: `t${n}`, language: 'sw', body: 'Habari {{1}}' })
    await emulator.templates.add({ name: 't6', language: 'sw', body: 'Habari', status: 'PAUSED' })
    const client = clientOf(emulator)
    const names: string[] = []
    let cursor: string | null | undefined
    do {
      const { data } = await client.GET('/api/v2/templates', {
        params: { query: { limit: 2, sendable: true, ...(typeof cursor === 'string' && { cursor }) } },
      })
      for (const { name, components } of data?.items ?? []) names.push(`${name}: ${String(components[0]?.['text'])}`)
      cursor = data?.has_more ? data.next_cursor : undefined
    } while (cursor !== undefined)
    expect(names).toEqual(['t5', 't4', 't3', 't2', 't1'].map((name) => `${name}: Habari {{1}}`))
    const { data } = await client.GET('/api/v2/templates', { params: { query: { sendable: false } } })
    expect(data?.items.map(({ unsendable_reason: reason }) => reason)).toEqual([expect.stringMatching(/paused/)])
  })

  it('reads errors in both forms, without a code, and with the numbers of a token [E SEND-23 AUTH-05]', async () => {
    await using emulator = await createEmulator()
    await addTemplates(emulator)
    const client = clientOf(emulator)
    const sent = async (body: SendMessageIn) => {
      const { error, response } = await client.POST('/api/v2/messages', { body })
      return `${response.status} ${describeError(error)}`
    }
    expect(await sent({ to, text: 'Habari' })).toBe('409 outside_messaging_window')
    expect(await sent({ to, text: ' ' })).toBe('422 validation_error')
    const template = { type: 'template', template_name: 'order_ready', template_language: 'sw' } as const
    expect(await sent({ to, ...template })).toBe('400 no code')
    await emulator.assumptions.set({ validation: 'detail' })
    expect(await sent({ to: '+255', text: 'Habari' })).toMatch(/^422 body\.to \(\w+\)/)
    const { error } = await client.GET('/api/v2/templates', { params: { query: { limit: 0 } } })
    expect(describeError(error)).toBe('query.limit (value_error)')
    await emulator.account.set({ numbers: [{ id: '111' }, { id: '222' }] })
    expect(await sent({ to, text: 'Habari' })).toBe('400 ambiguous_number 111 222')
    const stranger = clientOf({ ...emulator, accessToken: 'unknown' })
    expect(describeError((await stranger.GET('/api/v2/templates')).error)).toBe('not_authenticated')
  })
})
