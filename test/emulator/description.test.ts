import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { lintFindings } from './generator/lint.ts'
import { get } from './support/api.ts'

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

async function description(): Promise<Json> {
  await using emulator = await createEmulator()
  return (await get(emulator, '/api/v2/openapi.json')).json
}

describe('the description of the service', () => {
  it('is OpenAPI 3.1 of the two endpoints, and names the emulator [E GEN-11]', async () => {
    const document = await description()
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods as object)])).toEqual([
      ['/api/v2/messages', ['post']],
      ['/api/v2/templates', ['get']],
    ])
    expect(document.info.description).toMatch(/emulator/)
    expect(document.components.securitySchemes).toMatchObject({ accessToken: { type: 'http', scheme: 'bearer' } })
  })

  it('is clean under a public linter’s strictest rules [E GEN-11]', async () => {
    const document = await description()
    expect(await lintFindings(JSON.stringify(document))).toEqual([])
    delete document.paths['/api/v2/messages'].post.responses
    expect(await lintFindings(JSON.stringify(document))).not.toEqual([])
  })

  it('contains the limits of the specification [E GEN-11 SEND-01 SEND-03 SEND-06 SEND-07 SEND-08 SEND-09]', async () => {
    const { SendMessageIn, InteractiveIn, MessageType } = (await description()).components.schemas
    expect(SendMessageIn.required).toEqual(['to'])
    expect(SendMessageIn.properties.to).toMatchObject({ minLength: 6, maxLength: 20 })
    expect(SendMessageIn.properties.type.$ref).toBe('#/components/schemas/MessageType')
    expect(MessageType).toMatchObject({
      default: 'text',
      enum: ['text', 'template', 'image', 'document', 'video', 'audio', 'interactive'],
    })
    expect(SendMessageIn.properties.text.maxLength).toBe(4096)
    expect(SendMessageIn.properties.media_caption.maxLength).toBe(1024)
    expect(new Set(Object.keys(SendMessageIn.properties))).toEqual(
      new Set(
        'to type text interactive template_name template_language template_components media_url media_caption media_filename'.split(
          ' ',
        ),
      ),
    )
    const { body, footer, buttons, button_text, sections, cta } = InteractiveIn.properties
    expect(body).toMatchObject({ minLength: 1, maxLength: 1024 })
    expect([footer.maxLength, button_text.maxLength]).toEqual([60, 20])
    expect(buttons).toMatchObject({
      minItems: 1,
      maxItems: 3,
      items: { properties: { id: { minLength: 1, maxLength: 256 }, title: { minLength: 1, maxLength: 20 } } },
    })
    const section = sections.items.properties
    expect(section.title.maxLength).toBe(24)
    expect([sections.minItems, section.rows.minItems, section.rows.maxItems]).toEqual([1, 1, 10])
    expect(section.rows.items.properties).toMatchObject({
      id: { minLength: 1, maxLength: 200 },
      title: { minLength: 1, maxLength: 24 },
      description: { maxLength: 72 },
    })
    expect(cta.anyOf.find((each: Json) => each.type !== 'null').properties).toMatchObject({
      display_text: { minLength: 1, maxLength: 20 },
      url: { minLength: 1, maxLength: 2000, format: 'uri' },
    })
  })

  it('describes answers, headers, query and errors [E GEN-11 SEND-16 TPL-01 TPL-02]', async () => {
    const { components, paths } = await description()
    expect(new Set(components.schemas.MessageOut.required)).toEqual(
      new Set(['id', 'direction', 'message_type', 'created_at']),
    )
    expect(components.schemas.MessageOut.properties.created_at.format).toBe('date-time')
    expect(Object.keys(components.schemas.TemplatePage.properties)).toEqual(['items', 'next_cursor', 'has_more'])
    const send = paths['/api/v2/messages'].post
    const list = paths['/api/v2/templates'].get
    const named = (operation: Json) => operation.parameters.map((it: Json) => it.name)
    expect(named(send)).toEqual(['Idempotency-Key', 'X-Phone-Number-Id'])
    expect(named(list)).toEqual(['sendable', 'cursor', 'limit', 'X-Phone-Number-Id'])
    expect(list.parameters[2].schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 25 })
    expect(Object.keys(send.responses)).toEqual(['200', '400', '401', '402', '403', '409', '422', '429', '500', '502'])
    expect(send.responses[200].headers).toHaveProperty('Idempotency-Replayed')
    expect(send.responses[409].description).toMatch(/outside_messaging_window.*idempotency_in_progress/)
    expect(Object.keys(list.responses)).toEqual(['200', '400', '401', '402', '403', '422', '500'])
  })

  it('is one page of text that loads nothing, runs nothing, and names the emulator [E GEN-11 GEN-12]', async () => {
    await using emulator = await createEmulator()
    const headers = { Authorization: `Bearer ${emulator.accessToken}` }
    const response = await fetch(`${emulator.url}/api/v2/docs`, { headers })
    const page = await response.text()
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(page).not.toMatch(/<script|https?:\/\/|\son\w+=|<link|<img/i)
    for (const word of [
      'emulator',
      '/api/v2/messages',
      '/api/v2/templates',
      'Idempotency-Key',
      'outside_messaging_window',
      '4096',
      'next_cursor',
    ])
      expect(page, word).toContain(word)
    expect(response.headers.get('X-Emulator')).toBe('switchhook')
  })

  it('needs a token like every call, and is open to a browser with a switch [E GEN-11]', async () => {
    await using emulator = await createEmulator()
    const paths = ['/api/v2/openapi.json', '/api/v2/docs']
    for (const path of paths)
      expect((await get(emulator, path, { Authorization: '' })).json.code).toBe('not_authenticated')
    expect((await get(emulator, '/api/v2/openapi.json')).status).toBe(200)
    await emulator.assumptions.set({ description: 'open' })
    for (const path of paths) expect((await fetch(emulator.url + path)).status).toBe(200)
  })
})
