import { createHmac } from 'node:crypto'
import { createBot, signDelivery } from 'switchhook'
import { webhook } from 'switchhook/fetch'
import { ulid } from 'ulid'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { explain } from '../../../src/bot/inbox/explain.ts'
import { createKeyring } from '../../../src/bot/inbox/signature.ts'
import { receiverOn, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE } from './signing.ts'

const NOW = 1_800_000_000_000
const SECRET = 'whsec_explained'
const names = { signature: 'x-service-signature', timestamp: 'x-service-timestamp' }
const BODY = '{"a":"é","b":[1,2],"c":"x: y, z"}'

/** Explains a delivery that was signed as the service signs and then spoilt by a usual mistake. */
function refused(o: {
  signed?: string
  body?: string
  secret?: string
  configured?: string
  at?: string
  reason: 'missing' | 'mismatch' | 'stale' | 'repeated' | 'malformed'
}) {
  const timestamp = o.at ?? String(NOW / 1000)
  const mac = createHmac('sha256', o.secret ?? SECRET)
    .update(`${timestamp}.${o.signed ?? BODY}`)
    .digest('hex')
  return explain({
    headers: { 'x-service-signature': `sha256=${mac}`, 'x-service-timestamp': timestamp },
    body: Buffer.from(o.body ?? BODY),
    keyring: createKeyring({ shop: o.configured ?? SECRET }),
    names,
    now: NOW,
    reason: o.reason,
  })
}

describe('the explanation of a refusal', () => {
  it.each([
    ['pretty', BODY, JSON.stringify(JSON.parse(BODY), null, 2)],
    ['with a line break', `${BODY}\n`, BODY],
  ])('finds a body that was serialised again: %s [R SIG-03]', (_form, signed, body) => {
    expect(refused({ signed, body, reason: 'mismatch' })).toContain('serialized again')
  })

  it.each([
    ['quotes', `"${SECRET}"`],
    ['a line break in the service', SECRET, `${SECRET}\n`],
  ])('finds a secret with %s', (_what, configured, secret = SECRET) => {
    const said = refused({ configured, secret, reason: 'mismatch' })
    expect(said).toContain('the secret of "shop"')
    expect(said).not.toContain(SECRET)
  })

  it('reports that no known secret made it', () => {
    expect(refused({ secret: 'another', reason: 'mismatch' })).toContain('another subscription')
  })

  it('reports the difference of the clocks, and finds milliseconds', () => {
    expect(refused({ at: String(NOW / 1000 - 400), reason: 'stale' })).toContain('400 s behind')
    expect(refused({ at: String(NOW / 1000 + 400), reason: 'stale' })).toContain('400 s ahead')
    expect(refused({ at: String(NOW), reason: 'stale' })).toContain('milliseconds')
  })

  it('finds another header prefix if signature and timestamp have the same', () => {
    const headers = { 'X-Acme-Signature': 'sha256=00', 'X-Acme-Timestamp': '1', 'x-hub-signature': 'sha1=00' }
    const about = { body: Buffer.from(BODY), keyring: createKeyring({ shop: SECRET }), names, now: NOW }
    expect(explain({ ...about, headers, reason: 'missing' })).toContain('"x-acme-"')
    expect(explain({ ...about, headers: { 'x-hub-signature': 'sha1=00' }, reason: 'missing' })).toBeUndefined()
  })

  const FORGED = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` }

  it('names the armed fault of the emulator, and suspects no secret [R SIG-04]', async () => {
    const service = receiverOn({ local: true })
    for (let each = 0; each < 50; each++)
      expect(await service.post(MESSAGE, { ...FORGED, 'x-emulator-fault': 'tamper' })).toMatchObject(REFUSED)
    expect(service.warnings()).toMatchObject([
      {
        level: 'warn',
        message: 'a delivery was refused, as expected: you armed `tamper` in the emulator',
        about: { reason: 'mismatch' },
      },
    ])
    expect(service.warnings()[0]?.about).not.toHaveProperty('probably')
    expect(service.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it.each([
    ['the other side is no emulator', false, 'tamper'],
    ['the name is none', true, 'tamper\nand more'],
  ])('names no fault if %s [R SIG-04]', async (_, local, fault) => {
    const service = receiverOn({ local })
    await service.post(MESSAGE, { ...FORGED, 'x-emulator-fault': fault })
    expect(service.warnings()).toMatchObject([{ message: 'a delivery was refused' }])
  })

  it('a body made to break it is refused like any other [R SIG-04]', async () => {
    const service = receiverOn({ local: true })
    for (const body of ['['.repeat(100_000) + ']'.repeat(100_000), JSON.stringify('\\'.repeat(250_000))]) {
      const headers = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${'0'.repeat(64)}` }
      expect(await service.post(Buffer.from(body), headers)).toMatchObject(REFUSED)
    }
  })
})

describe('a log', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    ['development', 'whsec'],
    ['production', undefined],
  ])('of a bot of the real service in %s explains a refusal only in development', async (environment, says) => {
    vi.stubEnv('NODE_ENV', environment)
    const said: { probably?: string }[] = []
    const warn = (about: { probably?: string }) => void said.push(about)
    const logger = { debug: () => {}, info: () => {}, warn, error: () => {} }
    const bot = createBot({ signingSecret: SECRET, baseUrl: 'https://api.example', database: ':memory:', logger })
    await bot.start()
    const headers = signDelivery({
      body: BODY,
      secret: `"${SECRET}"`,
      at: new Date(),
      event: 'message.received',
      deliveryId: ulid(),
    })
    const answer = await webhook(bot)(new Request('http://127.0.0.1/', { method: 'POST', headers, body: BODY }))
    expect(answer.status).toBe(401)
    const [{ probably } = {}] = said.filter((about) => 'probably' in about || 'reason' in about)
    expect(probably === undefined).toBe(says === undefined)
    await bot.stop()
  })
})
