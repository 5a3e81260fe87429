import { describe, expect, it } from 'vitest'
import { accepts, clientOn, rejection, says } from './stub.ts'

const row = (name: string, language = 'sw', more = {}) => ({
  id: `t_${name}_${language}`,
  name,
  language,
  category: 'UTILITY',
  status: 'APPROVED',
  sendable: true,
  unsendable_reason: null,
  components: [],
  ...more,
})
const page = (items: unknown[], next?: string | null, more = next !== undefined && next !== null) =>
  says(200, { items, next_cursor: next ?? null, has_more: more })

const UNTOLD = expect.stringContaining('the list lacks') as string

async function names(rows: AsyncIterable<{ name: string }>): Promise<string[]> {
  const all: string[] = []
  for await (const one of rows) all.push(one.name)
  return all
}

describe('a page', () => {
  it('is a GET with the given options and nothing else [C TPL-01]', async () => {
    const { client, requests } = clientOn([page([])])
    await client.templates.list()
    await client.templates.list({ sendable: true, cursor: 'a b&c=/+', limit: 100 })
    await client.templates.list({ sendable: false })
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://service.example/api/v2/templates',
      'GET https://service.example/api/v2/templates?sendable=true&cursor=a+b%26c%3D%2F%2B&limit=100',
      'GET https://service.example/api/v2/templates?sendable=false',
    ])
    expect(requests[0]?.body).toBeUndefined()
  })

  it('has a limit of 1 to 100 [C TPL-01]', async () => {
    const { client, requests } = clientOn([page([])])
    for (const limit of [0, 101, 2.5, Number.NaN])
      expect(await rejection(client.templates.list({ limit }))).toMatchObject({ code: 'options_invalid' })
    expect(requests).toEqual([])
  })

  it('reads a template that is not yet synchronised [C OTP-07]', async () => {
    const components = [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }]
    const otp = row('code', 'sw', { category: 'AUTHENTICATION', components })
    const { client } = clientOn([page([otp])])
    expect((await client.templates.list()).items).toEqual([otp])
  })

  it.each([
    ['lacks its state, category and language', { status: undefined, category: undefined, language: undefined }, {}],
    ['has a number as its id', { id: 7 }, { id: '7', sendable: true }],
    ['has components that are no list', { components: { body: 'x' } }, { components: [], sendable: true }],
    [
      'has a component that is no object',
      { components: [null, 'x', { type: 'BODY' }] },
      { components: [{ type: 'BODY' }] },
    ],
    [
      'has an odd reason and score',
      { unsendable_reason: 5, quality_score: [] },
      { unsendable_reason: null, sendable: true },
    ],
    ['does not say whether it is sendable', { sendable: undefined }, { sendable: false, unsendable_reason: UNTOLD }],
    [
      'says so in another way',
      { sendable: 'true', unsendable_reason: 'x' },
      { sendable: false, unsendable_reason: 'x' },
    ],
    ['has no name', { name: null }, { name: '', sendable: false, unsendable_reason: UNTOLD }],
  ])('keeps a row that %s, with its other members [C TPL-08, C GEN-10]', async (_, odd, kept) => {
    const { client } = clientOn([page([row('first'), row('odd', 'sw', { mood: 1, ...odd }), row('last')])])
    const { items } = await client.templates.list()
    expect(items.map(({ name }) => name)).toEqual(['first', 'name' in kept ? '' : 'odd', 'last'])
    expect(items[1]).toMatchObject({ mood: 1, ...kept })
  })

  it('that is not a page of templates is an error, and no message is in doubt [C ERR-02]', async () => {
    const { client, requests } = clientOn([accepts()])
    expect(await rejection(client.templates.list())).toMatchObject({ status: 200, outcome: 'not_sent' })
    expect(requests).toHaveLength(1)
  })
})

describe('all templates', () => {
  it('are read until has_more is false, with the same options on each page [C TPL-02]', async () => {
    const { client, requests } = clientOn([page([row('a')], 'c1'), page([], 'c2'), page([row('b')])])
    expect(await names(client.templates.iterate({ sendable: false, limit: 2 }))).toEqual(['a', 'b'])
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
      'sendable=false&limit=2',
      'sendable=false&cursor=c1&limit=2',
      'sendable=false&cursor=c2&limit=2',
    ])
  })

  it('end at a cursor without has_more [C TPL-02]', async () => {
    const { client, requests } = clientOn([page([row('a')], 'c1', false)])
    expect(await names(client.templates.iterate())).toEqual(['a'])
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['the last one', ['c1', 'c1']],
    ['one from long ago', ['c1', 'c2', 'c3', 'c1']],
  ])('end at a repeated cursor: %s [C TPL-02]', async (_, cursors) => {
    const { client, requests } = clientOn(cursors.map((cursor) => page([], cursor)))
    const error = await rejection(names(client.templates.iterate()))
    expect((error as Error).message).toContain('a repeated next_cursor')
    expect(requests).toHaveLength(cursors.length)
  })

  it('are not requested further once the loop is left [C TPL-02]', async () => {
    const { client, requests } = clientOn([page([row('a'), row('b')], 'c1'), page([row('c')])])
    for await (const one of client.templates.iterate()) if (one.name === 'a') break
    expect(requests).toHaveLength(1)
  })
})

it('one template is found by name and exact language, on any page [C TPL-06]', async () => {
  const { client } = clientOn([page([row('a', 'en'), row('a', 'en_US')], 'c1'), page([row('a', 'sw')])])
  expect(await client.templates.find({ name: 'a', language: 'en_US' })).toMatchObject({ id: 't_a_en_US' })
})
