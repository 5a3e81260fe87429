import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { beside, CUSTOMER } from './emulator-support.ts'
import { jsonLines } from './support.ts'

const { emulator, folder, run } = beside()

const to = ['send', '--to', CUSTOMER]
const inWindow = () => emulator().customer(CUSTOMER).says('hours')
const sent = async () =>
  (await emulator().customer(CUSTOMER).thread()).filter(
    ({ direction, refused }) => direction === 'OUTBOUND' && !refused,
  )

describe('switchhook send', () => {
  it('sends through the running emulator without an address', async () => {
    await inWindow()
    const { code, stdout } = await run([...to, '--text', 'hello'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^msg_\w+ {2}accepted, sent\n$/)
    expect(await sent()).toMatchObject([{ text: 'hello' }])
  })

  it('sends by the address and token of the environment', async () => {
    await inWindow()
    const environment = { SWITCHHOOK_BASE_URL: emulator().url, SWITCHHOOK_ACCESS_TOKEN: emulator().accessToken }
    const { code, stdout } = await run([...to, '--text', 'hello', '--json'], environment)
    expect([code, jsonLines(stdout)]).toEqual([
      0,
      [expect.objectContaining({ direction: 'OUTBOUND', content: 'hello' })],
    ])
    expect((await run([...to, '--text', 'x'], { SWITCHHOOK_BASE_URL: emulator().url })).code).toBe(2)
  })

  it('sends templates, and the content of --data', async () => {
    await inWindow()
    await emulator().templates.add({ name: 'order_ready', language: 'sw', body: 'Order {{1}} is ready' })
    writeFileSync(join(folder(), 'body.json'), '{"type":"image","media_url":"https://shop.example/a.png"}')
    for (const what of [
      ['--template', 'order_ready', '--language', 'sw', '--param', '7781'],
      ['--data', 'body.json'],
    ])
      expect((await run([...to, ...what])).code, what.join(' ')).toBe(0)
    expect(await sent()).toMatchObject([
      { template: { name: 'order_ready' }, text: 'Order 7781 is ready' },
      { kind: 'image' },
    ])
  })

  it('sends once under a key [IDEM-08]', async () => {
    await inWindow()
    const keyed = [...to, '--text', 'hello', '--key', 'order-7781-ready']
    expect((await run(keyed)).code).toBe(0)
    expect((await run(keyed)).stdout).toContain('this key was sent before, so nothing was sent now')
    expect(await sent()).toHaveLength(1)
  })
})

describe('switchhook send to the live service', () => {
  const live = { SWITCHHOOK_BASE_URL: 'https://service.invalid', SWITCHHOOK_ACCESS_TOKEN: 'token-canary' }
  const text = [...to, '--text', 'hello']

  it('is refused without --live', async () => {
    const { code, stdout, stderr } = await run(text, { ...live, SWITCHHOOK_ALLOWED_RECIPIENTS: CUSTOMER })
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('https://service.invalid is not this machine, so a phone would ring: pass --live')
    expect(stderr).not.toContain('canary')
  })

  it('is refused if the recipient is not listed', async () => {
    const { code, stderr } = await run([...text, '--live'], live)
    expect(code).toBe(4)
    expect(stderr).toContain('the recipient is not in SWITCHHOOK_ALLOWED_RECIPIENTS')
    expect((await run([...text, '--live'], { ...live, SWITCHHOOK_ALLOWED_RECIPIENTS: '255712000999' })).code).toBe(4)
  })

  it('goes out to a listed recipient', async () => {
    const listed = { ...live, SWITCHHOOK_ALLOWED_RECIPIENTS: `255712000999, ${CUSTOMER}` }
    const { code, stderr } = await run([...text, '--live'], listed)
    // The host does not exist, so the error shows that it was tried.
    expect([code, stderr]).toEqual([1, expect.stringContaining('POST /messages')])
  })
})
