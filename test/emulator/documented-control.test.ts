import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call, control, CUSTOMER, get } from './support/api.ts'
import { type DocumentedWorld, documentedWorld } from './support/documented-world.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/control-api.md'), 'utf8')

interface Section {
  readonly method: string
  readonly path: string
  readonly text: string
}

const sections: readonly Section[] = page
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [, method = '', path = '', text = ''] = /^(\w+) (\S+)\n([^]*?)(?=^## |$(?![^]))/m.exec(section) ?? []
    return { method, path, text }
  })

/** A section's content: a request, and the answer to it. Without a request it is the one of the heading. */
const examples = sections.flatMap((section) =>
  [...section.text.matchAll(/(?:^```http\n(\w+) (\S+)\n([^]*?)```\n\n)?^```json\n([^]*?)```/gm)].map(
    ([, method = section.method, path = exampleOf(section.path), body = '', answer = '']) => ({
      method,
      path,
      body,
      answer,
    }),
  ),
)

/** The path of a heading, with the customer or id of the examples: `deliveries/:id` is `deliveries/DELIVERY`. */
function exampleOf(path: string): string {
  const [, , collection = ''] = path.split('/')
  return path.replace(':digits', CUSTOMER).replace(':id', collection.toUpperCase().replace(/(?:IES|S)$/, ending))
}

function ending(plural: string): string {
  return plural === 'IES' ? 'Y' : ''
}

describe('docs/control-api.md', () => {
  let world: DocumentedWorld
  beforeAll(async () => {
    world = await documentedWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it('describes every route of GET /_emulator, in its words, and no other', async () => {
    const { items } = (await get(world.emulator, '/_emulator', { Authorization: '' })).json
    const told = sections.map(({ method, path, text }) => ({ method, path, does: text.trim().split('\n')[0] }))
    expect(items.toSorted(byRoute)).toMatchObject(told.toSorted(byRoute))
  })

  it('names every member of the bodies', async () => {
    const { items } = (await control(world.emulator, 'GET', 'forms')).json
    for (const { method, path, schema } of items) {
      const { text } = sections.find((one) => one.method === method && one.path === path) ?? {}
      // Another page lists the switches.
      const members = path.endsWith('/assumptions') ? [] : membersOf(schema)
      for (const member of members) expect(text, `${method} ${path}`).toContain(`\`${member}\``)
    }
  })

  it('shows the real answers, example by example in their order', async () => {
    for (const { method, path, body, answer } of examples) {
      const names: Record<string, string> = await world.names()
      const real = (text: string) => text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => names[word] ?? word)
      const { status, text } = await ask(world, method, real(path), real(body).trim())
      expect(status, `${method} ${path}: ${text}`).toBe(200)
      expect(differences(JSON.parse(text), JSON.parse(real(answer))), `${method} ${path}: ${text}`).toEqual([])
      await world.settle()
    }
  })

  it('shows how the stream begins', async () => {
    const [, path = '', shown = ''] = /```http\nGET (\S*stream\S*)\n```\n\n```text\n([^]*?)\n```/.exec(page) ?? []
    const headers = { Authorization: `Bearer ${world.emulator.controlToken}` }
    const { body } = await fetch(world.emulator.url + path, { headers })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('data: ')) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
    expect(text).toMatch(new RegExp(asPattern(`…${shown}…`)))
  })
})

function ask({ emulator }: DocumentedWorld, method: string, path: string, body: string): Promise<Answer> {
  const headers = { Authorization: `Bearer ${emulator.controlToken}` }
  return call(emulator, method, path, { headers, ...(body !== '' && { body }) })
}

function byRoute(one: { method: string; path: string }, other: { method: string; path: string }): number {
  return `${one.path} ${one.method}`.localeCompare(`${other.path} ${other.method}`)
}

interface Schema {
  readonly properties?: object
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

function membersOf({ properties = {}, anyOf = [], oneOf = [] }: Schema): string[] {
  return [...Object.keys(properties), ...[...anyOf, ...oneOf].flatMap(membersOf)]
}

/** Finds where an answer differs from the page; `…` stands for any rest of a text, an array or an object. */
function differences(real: unknown, shown: unknown, at = ''): string[] {
  if (typeof shown === 'string' && shown.includes('…'))
    return typeof real === 'string' && asPattern(shown).test(real) ? [] : [`${at}: ${JSON.stringify(real)}`]
  if (typeof shown !== 'object' || shown === null) return real === shown ? [] : [`${at}: ${JSON.stringify(real)}`]
  if (typeof real !== 'object' || real === null) return [`${at}: ${JSON.stringify(real)}`]
  const goesOn = Array.isArray(shown) ? String(shown.lastIndexOf('…')) : '…'
  const open = goesOn in shown
  const wanted = Object.entries(shown).filter(([name]) => name !== goesOn)
  const names = new Set([...wanted.map(([name]) => name), ...(open ? [] : Object.keys(real))])
  const [a, b] = [real as Record<string, unknown>, Object.fromEntries(wanted)]
  return [...names].flatMap((name) => differences(a[name], b[name], `${at}.${name}`))
}

function asPattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('[^]*')}$`)
}
