import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { MATRIX } from '../../src/kit/verify/matrix/matrix.ts'
import { verifyReceiver } from '../../src/kit/verify/run.ts'
import { besideEmulator } from './beside-emulator.ts'

const MOUNTING = resolve(import.meta.dirname, '../../examples/mounting')

/** Times are the receiver's own matter, and a busy machine is late for them. */
const MOUNTED = new Set(MATRIX.filter(({ rules }) => !rules.includes('SIG-05')).map(({ id }) => id))

/** Each has its own parser for orders. Plain node has none, and fastify.ts uses the same adapter. */
const SERVERS = ['hono.ts', 'commonjs.cjs']

it.for(SERVERS)(
  'the bot mounted as in %s passes the conformance matrix, answers its customer, and leaves the app its routes [R SIG-02 SIG-09 DEL-06]',
  async (file) => {
    await using shop = await besideEmulator(`${MOUNTING}/${file}`)
    expect(await (await fetch(shop.url)).text()).toBe('the shop')
    expect(await order(shop.url, { id: '7781' })).toEqual({ ordered: { id: '7781' } })

    const { verdicts } = await verifyReceiver({
      url: new URL(`${shop.url}/webhooks/messages`),
      secret: shop.emulator.signingSecret,
      only: MOUNTED,
      slowMs: 60_000,
      timeoutMs: 60_000,
    })
    const fell = verdicts.filter(({ state }) => state !== 'passed')
    expect(fell.map(({ check, sent, came }) => ({ id: check.id, sent, came }))).toEqual([])
    expect(verdicts).toHaveLength(MOUNTED.size)

    await shop.asha.says('hours')
    await shop.last('We are open from 9 to 17.')
    expect(await shop.end()).toBe(0)
  },
)

it('the bot mounted as in node.ts answers its customer, and leaves the app its routes', async () => {
  await using shop = await besideEmulator(`${MOUNTING}/node.ts`)
  expect(await (await fetch(shop.url)).text()).toBe('the shop')
  await shop.asha.says('hours')
  await shop.last('We are open from 9 to 17.')
  expect(await shop.end()).toBe(0)
})

async function order(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/orders`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}
