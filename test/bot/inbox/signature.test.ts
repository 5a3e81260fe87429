import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { receiverOn, ACCEPTED, REFUSED } from './receiver.ts'
import { headersOf, MESSAGE, NOW, type SentHeaders, signatureOf, vector } from './signing.ts'

const GOOD = signatureOf(MESSAGE)
const HEX = GOOD.slice('sha256='.length)

/** Sends a delivery with some headers changed. */
async function post(changed: SentHeaders, body: Uint8Array = MESSAGE) {
  const service = receiverOn()
  const answer = await service.post(body, { ...headersOf(MESSAGE), ...changed })
  return { answer, stored: service.storeCalls() }
}

async function expectRefused(changed: SentHeaders, body?: Uint8Array): Promise<void> {
  const { answer, stored } = await post(changed, body)
  expect(answer).toMatchObject(REFUSED)
  expect(stored).toBe(0)
}

describe('the signature header', () => {
  it.each<[string, string | string[] | undefined]>([
    ['is not there [F-1]', undefined],
    ['is blank [F-1]', '   '],
    ['is the scheme alone [F-1]', 'sha256='],
    ['comes twice with the same value [R SIG-08, F-2]', [GOOD, GOOD]],
    ['was joined by the platform, the right one last [R SIG-08, F-2]', `sha256=${'0'.repeat(64)}, ${GOOD}`],
    ['was joined by the platform, the right one first [R SIG-08, F-2]', `${GOOD},${GOOD}`],
    ['has a space behind it [R SIG-04, F-3]', `${GOOD} `],
    ['has text behind it [R SIG-04, F-3]', `${GOOD};v1`],
    ['has a line break behind it [R SIG-04, F-3]', `${GOOD}\n`],
    ['has 63 digits [R SIG-04, F-4]', GOOD.slice(0, -1)],
    ['has 65 digits [R SIG-04, F-4]', `${GOOD}0`],
    ['has 10,000 digits [R SIG-04, F-4]', `sha256=${HEX.repeat(157)}`],
    ['has 64 letters of another alphabet [R SIG-04, F-4]', `sha256=${'é'.repeat(64)}`],
    ['ends in no hex, so that 31 bytes would be read [R SIG-04, F-5]', `sha256=${HEX.slice(0, 62)}zz`],
    ['is followed by what hex reading would drop [R SIG-04, F-5]', `${GOOD}zzzz`],
    ['chooses another algorithm [R SIG-04, F-7]', `sha1=${HEX}`],
    ['has its scheme in capitals [R SIG-04, F-7]', `SHA256=${HEX}`],
    ['has no scheme [R SIG-04, F-7]', HEX],
  ])('is refused if it %s', (_, value) => expectRefused({ 'x-service-signature': value }))

  it('accepts hexadecimal digits in either case [R SIG-04, F-6]', async () => {
    const { answer } = await post({ 'x-service-signature': `sha256=${HEX.toUpperCase()}` })
    expect(answer).toMatchObject(ACCEPTED)
  })
})

describe('the timestamp header', () => {
  it.each<[string, string | string[] | undefined]>([
    ['is not there [F-1]', undefined],
    ['is empty [F-1]', ''],
    ['comes twice [R SIG-08, F-2]', ['1763625600', '1763625600']],
    ['was joined by the platform [R SIG-08, F-2]', '1763625600, 1763625600'],
  ])('is refused if it %s', (_, value) => expectRefused({ 'x-service-timestamp': value }))

  it.each([
    'NaN',
    ' 1763625600',
    '1763625600\n',
    '+1763625600',
    '1.7636256e9',
    '0x691f2740',
    '1763625600.0',
    '01763625600',
    '١٧٦٣٦٢٥٦٠٠',
    '1763625600000',
  ])('is refused as %j, even if its signature is valid [R SIG-05, F-16]', (timestamp) =>
    expectRefused(headersOf(MESSAGE, { timestamp })),
  )
})

describe('the signed bytes', () => {
  it.each(['spaced-json', 'escaped-and-raw-unicode', 'key-order-and-duplicates', 'number-forms'])(
    'are not a body that was parsed and serialised again: %s [R SIG-03, F-8]',
    async (name) => {
      const { body, signature } = vector(name)
      const rewritten = Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))))
      expect(rewritten.equals(body)).toBe(false)
      await expectRefused({ 'x-service-signature': signature }, rewritten)
    },
  )

  it.each<[string, string]>([
    ['another order of keys', '{"id":"msg_1","from":"255712345678","type":"text","text":"Habari"}'],
    ['an escape for a letter', MESSAGE.toString().replace('Habari', '\\u0048abari')],
    ['one line break more', `${MESSAGE.toString()}\n`],
    ['a byte order mark', `\uFEFF${MESSAGE.toString()}`],
  ])('are not the same content with %s [R SIG-03, F-8]', (_, body) => expectRefused({}, Buffer.from(body)))

  it('do not fit a signature with any flipped bit [R SIG-04, F-9]', async () => {
    const service = receiverOn()
    for (let bit = 0; bit < 256; bit++) {
      const mac = Buffer.from(HEX, 'hex')
      mac[bit >> 3] = (mac[bit >> 3] as number) ^ (1 << (bit & 7))
      const headers = { ...headersOf(MESSAGE), 'x-service-signature': `sha256=${mac.toString('hex')}` }
      expect(await service.post(MESSAGE, headers), `bit ${bit}`).toMatchObject(REFUSED)
    }
  })

  it('are exactly the received ones, whatever they are [R SIG-02, F-9]', async () => {
    const service = receiverOn()
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (body, at, by) => {
          const headers = headersOf(body)
          expect(await service.post(body, headers)).toMatchObject({ status: 200 })
          const other =
            body.length === 0 ? Uint8Array.of(by) : body.map((b, i) => (i === at % body.length ? b ^ by : b))
          expect(await service.post(other, headers)).toMatchObject(REFUSED)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('are not a body cut at each of its dots, even if the signature is the same [R SIG-08, F-17]', async () => {
    const whole = Buffer.from('1763625600.1763625600.1.5.{"id":"msg_1"}.')
    const dots = [...whole.keys()].filter((at) => whole[at] === 0x2e)
    const signature = signatureOf(whole.subarray(11), { timestamp: '1763625600' })
    for (const at of dots.slice(1)) {
      const headers = { 'x-service-timestamp': whole.toString('latin1', 0, at), 'x-service-signature': signature }
      await expectRefused(headers, whole.subarray(at + 1))
    }
    const { answer } = await post({ 'x-service-signature': signature }, whole.subarray(11))
    expect(answer).toMatchObject(ACCEPTED)
  })

  it.each(['ssl_check=1', ''])('are always verified: %j [R SIG-08, F-22]', async (body) => {
    const service = receiverOn()
    expect(await service.post(Buffer.from(body), { 'x-service-event': 'ping' })).toMatchObject(REFUSED)
  })
})

it('a signature is verified whatever proxies report of addresses [F-45]', async () => {
  const proxied = { host: 'evil.example', 'x-forwarded-host': 'a', 'x-forwarded-proto': 'http', forwarded: 'for=1' }
  expect((await post(proxied)).answer).toMatchObject(ACCEPTED)
})

it('a refusal is one constant answer, whatever the reason [R SIG-04, F-44]', async () => {
  const reasons: SentHeaders[] = [
    { 'x-service-signature': undefined },
    { 'x-service-signature': [GOOD, GOOD] },
    { 'x-service-signature': 'sha256=00' },
    { 'x-service-signature': `sha256=${'0'.repeat(64)}` },
    headersOf(MESSAGE, { timestamp: NOW / 1000 - 301 }),
  ]
  const answers = await Promise.all(reasons.map(async (changed) => (await post(changed)).answer))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
})
