import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { besideEmulator, expectConformance } from './beside-emulator.ts'

const MOUNTING = resolve(import.meta.dirname, '../../examples/mounting')

/** Each has its own parser for orders, except plain node. */
it.for(['hono.ts', 'commonjs.cjs', 'node.ts'])(
  'the bot mounted as in %s answers its customer, and leaves the app its routes [R SIG-02 SIG-09 DEL-06]',
  async (file) => {
    await using shop = await besideEmulator(`${MOUNTING}/${file}`)
    if (file === 'hono.ts') await expectConformance(shop)
    expect(await (await fetch(shop.url)).text()).toBe('the shop')
    if (file !== 'node.ts') expect(await order(shop.url, { id: '7781' })).toEqual({ ordered: { id: '7781' } })
    await shop.asha.says('hours')
    await shop.last('We are open from 9 to 17.')
    expect(await shop.end()).toBe(0)
  },
)

async function order(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/orders`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}
