import { describe, expect, it } from 'vitest'
import { arrived, CUSTOMER, openEmulator, send } from './support/api.ts'

const to = CUSTOMER

describe('media', () => {
  it('that the open internet cannot reach anonymously are 502 send_failed, and nothing is sent [E SEND-05 SEND-21]', async () => {
    await using emulator = await openEmulator()
    const unreachable = [
      'https://localhost/1.jpg',
      'https://127.0.0.1/1.jpg',
      'https://10.1.2.3/1.jpg',
      'https://printer/1.jpg',
      'https://user:word@media.example.test/1.jpg',
    ]
    for (const media_url of unreachable) {
      const { status, json } = await send(emulator, { to, type: 'image', media_url })
      expect([status, json], media_url).toEqual([
        502,
        { code: 'send_failed', message: expect.stringMatching(/\w+ \w+/) },
      ])
    }
    expect(await arrived(emulator)).toBe(0)
  })

  it('at a public address are sent, whatever their format [E SEND-05]', async () => {
    await using emulator = await openEmulator()
    for (const media_url of ['https://media.example.test/1', 'HTTPS://MEDIA.EXAMPLE.TEST/1.jpg'])
      expect((await send(emulator, { to, type: 'document', media_url })).status, media_url).toBe(200)
  })

  it('in a template’s header are checked in the same way [E SEND-21 SEND-12]', async () => {
    await using emulator = await openEmulator()
    for (const format of ['IMAGE', 'VIDEO', 'DOCUMENT']) {
      const kind = format.toLowerCase()
      await emulator.templates.add({
        name: kind,
        language: 'sw',
        components: [
          { type: 'HEADER', format },
          { type: 'BODY', text: 'x' },
        ],
      })
      const sent = (link: string) =>
        send(emulator, {
          to,
          type: 'template',
          template_name: kind,
          template_language: 'sw',
          template_components: [{ type: 'header', parameters: [{ type: kind, [kind]: { link } }] }],
        })
      expect((await sent('https://10.0.0.1/1')).json.code, kind).toBe('send_failed')
      expect((await sent('https://media.example.test/1')).status, kind).toBe(200)
    }
  })

  it('are not checked if the type does not read them [E SEND-04]', async () => {
    await using emulator = await openEmulator()
    expect((await send(emulator, { to, text: 'x', media_url: 'https://127.0.0.1/1.jpg' })).status).toBe(200)
  })
})
