import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { get } from './support/api.ts'

async function withTemplates(count: number): Promise<Emulator> {
  const emulator = await createEmulator()
  for (let n = 1; n <= count; n++)
    await emulator.templates.add({
      name: `t${n}`,
      language: 'sw',
      body: 'x',
      status: n % 2 === 0 ? 'PAUSED' : 'APPROVED',
    })
  return emulator
}

async function names(emulator: Emulator, query = ''): Promise<string[]> {
  const { json } = await get(emulator, `/api/v2/templates${query}`)
  return json.items.map((template: { name: string }) => template.name)
}

describe('the list of templates', () => {
  it('is newest first, 25 to a page by default [E TPL-01]', async () => {
    await using emulator = await withTemplates(30)
    expect((await names(emulator)).length).toBe(25)
    expect(await names(emulator, '?limit=3')).toEqual(['t30', 't29', 't28'])
    expect((await names(emulator, '?limit=100')).length).toBe(30)
  })

  it('is read page by page until has_more is false [E TPL-02]', async () => {
    await using emulator = await withTemplates(5)
    const seen: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { json } = await get(emulator, `/api/v2/templates${query}`)
      expect(Object.keys(json).sort()).toEqual(['has_more', 'items', 'next_cursor'])
      seen.push(...json.items.map((template: { name: string }) => template.name))
      if (!json.has_more) {
        expect(json.next_cursor).toBeNull()
        break
      }
      query = `?limit=2&cursor=${encodeURIComponent(json.next_cursor)}`
    }
    expect(seen).toEqual(['t5', 't4', 't3', 't2', 't1'])
    // A page that ends with the last template.
    expect((await get(emulator, '/api/v2/templates?limit=5')).json).toMatchObject({
      has_more: false,
      next_cursor: null,
    })
  })

  it('shows the templates that can be sent now, the others, or all [E TPL-01 TPL-04]', async () => {
    await using emulator = await withTemplates(4)
    expect(await names(emulator, '?sendable=true')).toEqual(['t3', 't1'])
    expect(await names(emulator, '?sendable=false')).toEqual(['t4', 't2'])
    expect(await names(emulator)).toEqual(['t4', 't3', 't2', 't1'])
    const { json } = await get(emulator, '/api/v2/templates?sendable=false&limit=1')
    expect(json.items[0]).toMatchObject({ sendable: false, unsendable_reason: expect.any(String) })
    expect(json.has_more).toBe(true)
  })

  it('has no filter by category, and names a template once per language [E TPL-06]', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'hello', language: 'en', body: 'Hello' })
    await emulator.templates.add({ name: 'hello', language: 'sw', body: 'Habari' })
    await emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    for (const query of ['', '?category=AUTHENTICATION', '?category=UTILITY', '?category=none'])
      expect(await names(emulator, query), query).toEqual(['login_code', 'hello', 'hello'])
  })

  it('answers a malformed cursor or query with 400 and no code [E TPL-03]', async () => {
    await using emulator = await withTemplates(1)
    for (const query of [
      'cursor=',
      'cursor=%20',
      'cursor=abc',
      'limit=ten',
      'limit=1.5',
      'sendable=yes',
      'limit=1&limit=2',
    ]) {
      const { status, json } = await get(emulator, `/api/v2/templates?${query}`)
      expect([status, json], query).toEqual([400, { message: expect.any(String) }])
    }
  })

  it('answers an invalid cursor or limit with 422 [E TPL-03]', async () => {
    await using emulator = await withTemplates(3)
    await using other = await withTemplates(3)
    const { json: page } = await get(other, '/api/v2/templates?limit=1')
    for (const query of ['limit=0', 'limit=101', 'limit=-1', `cursor=${page.next_cursor}`])
      expect(await get(emulator, `/api/v2/templates?${query}`), query).toMatchObject({
        status: 422,
        json: { code: 'validation_error' },
      })
  })
})
