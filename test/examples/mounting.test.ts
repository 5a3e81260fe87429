import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { besideEmulator, expectConformance } from './beside-emulator.ts'

const MOUNTING = resolve(import.meta.dirname, '../../examples/mounting')

const VERIFIED = ['hono.ts', 'koa.ts', 'nest.ts']

/** Each has its own parser for orders, except plain node and Koa. */
it.for(['hono.ts', 'koa.ts', 'nest.ts', 'commonjs.cjs', 'node.ts'])(
  'the bot mounted as in %s answers its customer, and leaves the app its routes [R SIG-02 SIG-09 DEL-06]',
  async (file) => {
    await using shop = await besideEmulator(`${MOUNTING}/${file}`)
    if (VERIFIED.includes(file)) await expectConformance(shop)
    expect(await (await fetch(shop.url)).text()).toBe('the shop')
    if (!['node.ts', 'koa.ts'].includes(file))
      expect(await order(shop.url, { id: '7781' })).toEqual({ ordered: { id: '7781' } })
    await shop.asha.says('hours')
    await shop.last('We are open from 9 to 17.')
    // Nest sends itself the signal again when it has shut down.
    expect(await shop.end()).toBe(file === 'nest.ts' ? null : 0)
  },
)

it.for(['next.ts', 'lambda.ts'])(
  'a function that is mounted as in %s stores deliveries, and a worker over the same database answers its customer [R SIG-02 SIG-09 DEL-06]',
  async (host) => {
    await using shop = await besideEmulator(resolve(import.meta.dirname, 'hosts', host), {}, `${MOUNTING}/worker.ts`)
    await expectConformance(shop)
    await shop.asha.says('hours')
    await shop.last('We are open from 9 to 17.')
  },
)

async function order(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/orders`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

it('docs/mounting.md shows the examples as they run', () => {
  const page = readFileSync(resolve(MOUNTING, '../../docs/mounting.md'), 'utf8')
  const shown = [...page.matchAll(/From \[([\w.-]+)\][^`]*(?:`[^`\n]+`[^`]*)*((?:```typescript\n[^]*?```\s*)+)/g)]
  expect(shown.map(([, file]) => file)).toEqual(['nest.ts', 'koa.ts', 'next-route.ts', 'worker.ts'])
  for (const [, file = '', blocks = ''] of shown) {
    const source = readFileSync(resolve(MOUNTING, file), 'utf8')
    const lines = blocks.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('```'))
    expect(lines.filter((line) => !source.includes(`${line}\n`))).toEqual([])
  }
})
