import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { get } from './support/api.ts'

const PATHS = ['/api/v2/openapi.json', '/api/v2/docs'] as const

describe('the description of the service', () => {
  it('is OpenAPI 3.1 of the two endpoints with their limits, and names the emulator [E GEN-11 SEND-01 SEND-03 SEND-07 TPL-01]', async () => {
    await using emulator = await createEmulator()
    const document = (await get(emulator, PATHS[0])).json
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(document.info.description).toMatch(/emulator/)
    expect(Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods as object)])).toEqual([
      ['/api/v2/messages', ['post']],
      ['/api/v2/templates', ['get']],
    ])
    const { SendMessageIn, InteractiveIn, TemplatePage } = document.components.schemas
    expect(SendMessageIn.required).toEqual(['to'])
    expect(SendMessageIn.properties.to).toMatchObject({ minLength: 6, maxLength: 20 })
    expect(SendMessageIn.properties.text.maxLength).toBe(4096)
    expect(InteractiveIn.properties.buttons).toMatchObject({ minItems: 1, maxItems: 3 })
    expect(Object.keys(TemplatePage.properties)).toEqual(['items', 'next_cursor', 'has_more'])
    const { post } = document.paths['/api/v2/messages']
    const { get: list } = document.paths['/api/v2/templates']
    expect(list.parameters[2].schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 25 })
    expect(Object.keys(post.responses)).toEqual(['200', '400', '401', '402', '403', '409', '422', '429', '500', '502'])
  })

  it('is shown in a browser too, with each endpoint and each schema [E GEN-11]', async () => {
    await using emulator = await createEmulator()
    const { components, paths } = (await get(emulator, PATHS[0])).json
    const headers = { Authorization: `Bearer ${emulator.accessToken}` }
    const answer = await fetch(emulator.url + PATHS[1], { headers })
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const titles = [...(await answer.text()).matchAll(/<h2>(.+?)<\/h2>/g)].map(([, title]) => title)
    expect(titles).toEqual([...Object.keys(paths as object), ...Object.keys(components.schemas as object)])
  })

  it('needs a token like every call, and is open to a browser with a switch [E GEN-11]', async () => {
    await using emulator = await createEmulator()
    for (const path of PATHS)
      expect((await get(emulator, path, { Authorization: '' })).json.code).toBe('not_authenticated')
    await emulator.assumptions.set({ description: 'open' })
    for (const path of PATHS) expect((await fetch(emulator.url + path)).status).toBe(200)
  })
})
