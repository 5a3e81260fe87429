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
  it.each<[string, string | undefined]>([
    ['is not there', undefined],
    ['is empty', ''],
    ['is the scheme alone', 'sha256='],
    ['is blank', '   '],
  ])('is refused if it %s [F-1]', (_, value) => expectRefused({ 'x-service-signature': value }))

  it.each<[string, string | string[]]>([
    ['comes twice with the same value', [GOOD, GOOD]],
    ['comes twice with different values', [`sha256=${'0'.repeat(64)}`, GOOD]],
    ['was joined by the platform, the right one last', `sha256=${'0'.repeat(64)}, ${GOOD}`],
    ['was joined by the platform, the right one first', `${GOOD}, sha256=${'0'.repeat(64)}`],
    ['was joined without a space', `${GOOD},${GOOD}`],
  ])('is refused if it %s [R SIG-08, F-2]', (_, value) => expectRefused({ 'x-service-signature': value }))

  it.each<[string, string]>([
    ['a space behind it', `${GOOD} `],
    ['a space before it', ` ${GOOD}`],
    ['a comma behind it', `${GOOD},`],
    ['a second equals sign', `sha256==${HEX}`],
    ['text behind it', `${GOOD};v1`],
    ['a line break behind it', `${GOOD}\n`],
    ['a space behind the scheme', `sha256= ${HEX}`],
  ])('is refused with %s [R SIG-04, F-3]', (_, value) => expectRefused({ 'x-service-signature': value }))

  it.each([0, 1, 2, 31, 32, 62, 63, 65, 66, 128, 10_000])('is refused with %i digits [R SIG-04, F-4]', (length) =>
    expectRefused({ 'x-service-signature': `sha256=${HEX.repeat(200).slice(0, length)}` }),
  )

  it.each(['é'.repeat(64), '🔑'.repeat(32), '٣'.repeat(64), '\u0000'.repeat(64)])(
    'is refused, and nothing throws, with 64 letters of another alphabet: %j [R SIG-04, F-4]',
    (letters) => expectRefused({ 'x-service-signature': `sha256=${letters}` }),
  )

  it.each<[string, string]>([
    ['of which the last are no hex, so that 31 bytes would be read', HEX.slice(0, 62) + 'zz'],
    ['followed by what hex reading would drop', `${HEX}zzzz`],
    ['of which one is no hex', `g${HEX.slice(1)}`],
    ['in another writing of numbers', `0x${HEX.slice(2)}`],
  ])('is refused with digits %s [R SIG-04, F-5]', (_, digits) =>
    expectRefused({ 'x-service-signature': `sha256=${digits}` }),
  )

  it('accepts hexadecimal digits in either case [R SIG-04, F-6]', async () => {
    const mixed = HEX.replaceAll(/[a-f]/g, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter))
    for (const digits of [HEX.toUpperCase(), mixed]) {
      const { answer } = await post({ 'x-service-signature': `sha256=${digits}` })
      expect(answer).toMatchObject(ACCEPTED)
    }
  })

  it.each(['md5=', 'sha1=', 'sha512=', 'none=', 'SHA256=', 'Sha256=', 'sha256:', 'hmac-sha256=', 'v1=', ''])(
    'never chooses the algorithm: %j [R SIG-04, F-7]',
    (scheme) => expectRefused({ 'x-service-signature': scheme + HEX }),
  )
})

describe('the timestamp header', () => {
  it.each<[string, string | undefined]>([
    ['is not there', undefined],
    ['is empty', ''],
  ])('is refused if it %s [F-1]', (_, value) => expectRefused({ 'x-service-timestamp': value }))

  it.each<[string, string | string[]]>([
    ['comes twice', ['1763625600', '1763625600']],
    ['was joined by the platform', '1763625600, 1763625600'],
  ])('is refused if it %s [R SIG-08, F-2]', (_, value) => expectRefused({ 'x-service-timestamp': value }))

  const odd = ['abc', 'NaN', ' 1763625600', '1763625600 ', '+1763625600', '-1763625600', '1.7636256e9', '1e9', '0x1']
  odd.push('0x691f2740', '1763625600.0', '1763625600.5', '1763625600000', '1e30', '١٧٦٣٦٢٥٦٠٠', '01763625600')
  odd.push('001763625600', '0', '-0', 'Infinity', '1763625600n', '1_763_625_600', '1763625600\n', 'null', 'true')
  odd.push('2025-11-20T08:00:00Z', 'Thu, 20 Nov 2025 08:00:00 GMT', '9'.repeat(40))

  it.each(odd)('is refused as %j, even if its signature is valid [R SIG-05, F-16]', (timestamp) =>
    expectRefused(headersOf(MESSAGE, { timestamp })),
  )
})

describe('the signed bytes', () => {
  const REWRITTEN: Record<string, (body: Buffer) => Buffer> = {
    'parsed and serialised again': (body) => Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8')))),
    'parsed and serialised with spaces': (body) => Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 2)),
  }
  const exact = ['spaced-json', 'escaped-and-raw-unicode', 'key-order-and-duplicates', 'number-forms']

  for (const [how, rewrite] of Object.entries(REWRITTEN))
    it.each(exact)(`are not a body that was ${how}: %s [R SIG-03, F-8]`, async (name) => {
      const { body, signature } = vector(name)
      const rewritten = rewrite(body)
      expect(rewritten.equals(body)).toBe(false)
      await expectRefused({ 'x-service-signature': signature }, rewritten)
    })

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

  it('are exactly the received ones, whatever they are [R SIG-02, F-9]', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (body, at, by) => {
          const service = receiverOn()
          const headers = headersOf(body)
          expect(await service.post(body, headers)).toMatchObject({ status: 200 })
          const other =
            body.length === 0 ? Uint8Array.of(by) : body.map((b, i) => (i === at % body.length ? b ^ by : b))
          expect(await service.post(other, headers)).toMatchObject(REFUSED)
        },
      ),
      { numRuns: 40 },
    ))

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

  it('do not lend a timestamp the first dot and the following digits of the body [R SIG-08, F-17]', async () => {
    const body = Buffer.from('5.{}')
    await expectRefused(
      { 'x-service-timestamp': '1763625600.5', 'x-service-signature': signatureOf(body) },
      Buffer.from('{}'),
    )
  })

  it.each(['ssl_check=1', '{"type":"url_verification","challenge":"x"}', '{"test":true}', ''])(
    'are always verified: %j [R SIG-08, F-22]',
    async (body) => {
      const service = receiverOn()
      expect(await service.post(Buffer.from(body), { 'x-service-event': 'ping' })).toMatchObject(REFUSED)
    },
  )

  it('are verified whatever proxies report of addresses [F-45]', async () => {
    const forged = { host: 'evil.example', 'x-forwarded-host': 'a', 'x-forwarded-proto': 'http', forwarded: 'for=1' }
    expect((await post(forged)).answer).toMatchObject(ACCEPTED)
  })
})

describe('a refusal', () => {
  it('is one constant answer, whatever the reason [R SIG-04, F-44]', async () => {
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
})
