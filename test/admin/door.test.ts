import { createBot } from 'switchhook'
import { describe, expect, it, vi } from 'vitest'
import type { CustomerView, DeliveryView } from '../../src/admin/api.ts'
import { adminPage, type AdminOptions } from '../../src/admin/admin.ts'
import { internalsOf } from '../../src/bot/bot-internals.ts'
import { dead, posted, useStage } from './stage.ts'

describe('the door of the admin page', () => {
  const at = useStage()

  it('is not built without a function that identifies people, nor with an unknown option', () => {
    const make = (o: unknown) => () => adminPage(createBot({ logger: false }), o as AdminOptions<Request>)
    for (const o of [undefined, {}, { authorize: true }, { authorize: 'neema' }])
      expect(make(o)).toThrow(
        expect.objectContaining({ code: 'options_invalid', message: expect.stringContaining('authorize') }),
      )
    expect(make({ authorize: () => 'neema', readonly: true })).toThrow(
      /readonly: adminPage\(\): this option does not exist; its option/,
    )
    expect(make({ authorize: () => 'neema', readOnly: 'yes' })).toThrow(/readOnly: /)
  })

  it.each([undefined, null, false] as const)('answers 401 and nothing else to a visitor who is %s', async (nobody) => {
    await dead(at.store)
    const page = at.page({ authorize: () => nobody })
    for (const path of ['', 'assets/index.js', 'api/deliveries', 'api/state']) {
      const { status, text } = await page.ask(path)
      expect(status, path).toBe(401)
      expect(text).not.toMatch(/message\.received|543|neema/)
    }
    expect((await page.ask('api/act', posted({ act: 'retry', deliveries: [1] }))).status).toBe(401)
  })

  it.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('the sessions of 255719876543 are down'))],
    ['says only that it is somebody', () => true],
    ['gives an empty name', () => ' '],
    ['gives a right to write that is neither true nor false', () => ({ name: 'neema', write: 'no' })],
    ['gives numbers that are no list', () => ({ name: 'neema', numbers: 'default' })],
  ])('lets nobody in if authorize %s, and reveals nothing about that', async (_, authorize) => {
    const page = at.page({ authorize: authorize as () => string })
    const { status, body, text } = await page.ask('api/deliveries')
    expect({ status, body }).toMatchObject({ status: 500, body: { error: 'failed' } })
    expect(text).not.toContain('255719876543')
  })

  it('writes one line for many requests that authorize fails on', async () => {
    const page = at.page({
      authorize: () => {
        throw new Error('the sessions are down')
      },
    })
    for (let request = 0; request < 50; request++) expect((await page.ask('api/state')).status).toBe(500)
    expect(at.logged).toEqual(['the admin page could not answer'])
  })

  it.each<[string, AdminOptions<Request>['readOnly']]>([
    ['readOnly', (() => undefined) as never],
    ['readOnly', (() => 'no') as never],
    ['reveal', (() => Promise.resolve(1)) as never],
  ])('allows nothing if %s returns something other than true or false', async (name, rule) => {
    const deliveries = [await dead(at.store)]
    const page = at.page({ [name]: rule })
    const asked = name === 'reveal' ? { view: `api/deliveries/${deliveries[0]}` } : { act: 'retry', deliveries }
    const { status, body } = await page.ask(name === 'reveal' ? 'api/reveal' : 'api/act', posted(asked))
    expect({ status, body }).toMatchObject({ status: 500, body: { error: 'failed' } })
    expect((await at.store.deliveries(deliveries))[0]?.items[0]?.state).toBe('dead')
  })

  it('opens once the database answers, even if it did not when the first person arrived', async () => {
    const desk = internalsOf(at.bot).desk()!
    vi.spyOn(desk.store, 'secret').mockRejectedValueOnce(new Error('the database is away'))
    const page = at.page()
    expect((await page.ask('api/state')).status).toBe(500)
    expect((await page.ask('api/state')).status).toBe(200)
  })

  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of the same site', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.test' }],
    ['an origin without a name', { origin: 'null' }],
  ])('changes nothing for %s', async (_, headers) => {
    const seq = await dead(at.store)
    const page = at.page({ authorize: () => ({ name: 'neema', write: true }) })
    const { items } = await page.get<DeliveryView>(`api/deliveries/${seq}`)
    const customer = items[0]?.handle
    const acts = [
      { act: 'retry', deliveries: [seq] },
      { act: 'announcement', announcement: 1, to: 'cancelled' },
    ]
    for (const act of acts) {
      const asked = await page.ask('api/act', posted(act, headers))
      expect(asked).toMatchObject({ status: 403, body: { error: 'other_origin' } })
    }
    expect((await at.store.deliveries([seq]))[0]?.items[0]?.state).toBe('dead')
    expect((await at.store.counts()).sends).toEqual({})
    expect((await page.get<CustomerView>(`api/customers/${customer}`)).takenOver).toBeUndefined()
  })

  it('changes nothing without the header that another site’s form cannot send', async () => {
    const init = posted({ act: 'retry', deliveries: [await dead(at.store)] })
    const asked = await at.page().ask('api/act', { ...init, headers: { 'content-type': 'application/json' } })
    expect(asked).toMatchObject({ status: 403, body: { error: 'other_origin' } })
    expect((await at.page().ask('api/act', { method: 'PUT', headers: { 'x-switchhook-admin': '1' } })).status).toBe(405)
  })

  it.each<[Record<string, string>, RegExp]>([
    [
      { host: 'bot.example', origin: 'https://bot.example:8443' },
      /: Origin is bot\.example:8443, Host is bot\.example\. .*\$http_host\.$/,
    ],
    [{ 'sec-fetch-site': 'same-site' }, /: Sec-Fetch-Site is same-site\.$/],
  ])('names the header that differs in %j', async (headers, said) => {
    const asked = await at.page().ask('api/act', posted({ act: 'retry', deliveries: [1] }, headers))
    expect(asked).toMatchObject({ status: 403, body: { error: 'other_origin', message: expect.stringMatching(said) } })
  })

  it.each<[string, Record<string, string>]>([
    ['itself, as browsers tell', { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' }],
    ['its own origin', { host: 'shop.test', origin: 'http://shop.test' }],
    ['its own origin behind a proxy', { host: '10.0.0.7', 'x-forwarded-host': 'ops.test', origin: 'https://ops.test' }],
  ])('acts for %s', async (_, headers) => {
    const deliveries = [await dead(at.store)]
    const asked = await at.page().ask('api/act', posted({ act: 'retry', deliveries }, headers))
    expect(asked).toMatchObject({ status: 200, body: { count: 1 } })
  })

  it('shows nothing to a script of another site', async () => {
    const asked = await at.page().ask('api/deliveries', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(asked).toMatchObject({ status: 403, body: { error: 'other_origin' } })
  })

  it('lets the page run only its own script, load nothing from other hosts, and not be framed', async () => {
    for (const path of ['', 'api/state', 'nothing.js']) {
      const { headers } = await at.page().ask(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect((await at.page().ask('api/state')).headers.get('cache-control')).toBe('no-store')
  })

  it('is closed while the bot is not started', async () => {
    const page = at.page()
    await at.bot.stop()
    expect(await page.ask('api/state')).toMatchObject({ status: 503, body: { error: 'not_started' } })
  })
})
