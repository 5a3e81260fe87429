import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { beside, CUSTOMER, isGenuine, SECRET } from './emulator-support.ts'
import { jsonLines } from './support.ts'

const { emulator, receiver, folder, run } = beside()

const thread = async () => (await emulator().customer(CUSTOMER).thread()).map(({ text }) => text)
const bodies = () => receiver().received.map(({ body }) => JSON.parse(body.toString('utf8')) as unknown)

describe('switchhook trigger', () => {
  it('lets a customer write, as on the phone: the message appears there, and opens the window', async () => {
    const { code, stdout } = await run(['trigger', 'message.received', '--from', CUSTOMER, '--text', 'hours'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^message\.received +[0-9A-Z]{26} +200 .* yes$/m)
    expect(await thread()).toEqual(['hours'])
    const { url, accessToken } = emulator()
    const { status } = await fetch(`${url}/api/v2/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: CUSTOMER, text: 'hello' }),
    })
    expect(status).toBe(200)
  })

  it('plays a reaction, a location and what nobody writes, through the emulator and as a payload [R EVT-03]', async () => {
    await run(['trigger', 'message.received', '--text', 'size 42'])
    for (const [flags, kind] of [
      [['--react', '👍'], 'reaction'],
      [['--location', '-6.8,39.28'], 'location'],
      [['--signal', 'edited', '--text', 'size 43'], 'edited'],
      [['--signal', 'deleted'], 'deleted'],
      [['--signal', 'sticker'], 'sticker'],
      [['--signal', 'call'], 'call'],
      [['--signal', 'system'], 'system'],
      [['--signal', 'unknown'], 'unknown'],
    ] as const) {
      const { code, stderr } = await run(['trigger', 'message.received', ...flags])
      expect({ flags, code, stderr }).toEqual({ flags, code: 0, stderr: '' })
      const printed = await run(['trigger', 'message.received', '--dry-run', ...flags])
      expect(JSON.parse(printed.stdout)).toMatchObject({ data: { message_type: kind } })
    }
    for (const flags of [
      ['--location', '91,0'],
      ['--location', 'here'],
      ['--signal', 'text'],
      ['--react', '👍', '--tap', 'a'],
    ])
      expect((await run(['trigger', 'message.received', ...flags])).code).toBe(2)
    expect((await run(['trigger', 'order.paid', '--react', '👍'])).code).toBe(2)
  })

  it('taps options that the phone shows, and others too', async () => {
    const { code, stderr } = await run(['trigger', 'message.received', '--tap', 'track'])
    expect([code, stderr]).toEqual([0, 'The phone shows no option track; it is tapped anyway.\n'])
    expect(JSON.stringify(bodies())).toContain('track')
  })

  it('names with --number the number that a customer writes to, and that any other event is about', async () => {
    const [first, second] = ['109871234500011', '109871234500012']
    await emulator().account.set({ numbers: [{ id: first }, { id: second }] })
    const to = ['--number', second]
    expect((await run(['trigger', 'message.received', '--text', 'hours', ...to])).code).toBe(0)
    expect((await emulator().customer(CUSTOMER).thread())[0]?.number).toBe(second)
    await emulator().assumptions.set({ payloadShape: 2 })
    for (const event of ['message.status', 'order.paid', 'conversation.escalated'])
      expect((await run(['trigger', event, ...to])).code, event).toBe(0)
    const dry = await run(['trigger', 'message.received', '--dry-run', ...to])
    expect([dry.stdout.includes(second), dry.stdout.includes(first)]).toEqual([true, false])
    expect((await run(['trigger', 'message.received', '--dry-run'])).stdout).toContain(first)
    for (const event of ['message.received', 'order.paid', 'conversation.escalated', 'message.status']) {
      const { code, stderr } = await run(['trigger', event, '--number', '4711'])
      expect([code, stderr]).toEqual([2, expect.stringContaining('The number "4711" is not connected.')])
    }
  })

  it('fires events of the service and others', async () => {
    for (const event of ['message.status', 'order.paid', 'conversation.escalated', 'account.error', 'contact.created'])
      expect((await run(['trigger', event])).code, event).toBe(0)
    const names = receiver().received.map(({ headers }) => headers['x-service-event'])
    expect(new Set(names)).toEqual(
      new Set(['message.status', 'order.paid', 'conversation.escalated', 'account.error', 'contact.created']),
    )
  })

  it('delivers with --data the exact bytes of a file or of stdin, even if they are not JSON', async () => {
    const odd = '{"a": 1,\n "a": 2}   '
    writeFileSync(join(folder(), 'odd.json'), odd)
    expect((await run(['trigger', 'contact.created', '--data', 'odd.json'])).code).toBe(0)
    const piped = await run(['trigger', 'contact.created', '--data', '-'], {}, { stdin: 'no JSON at all' })
    expect(piped.code).toBe(0)
    expect(receiver().received.map(({ body }) => body.toString('utf8'))).toEqual([odd, 'no JSON at all'])
  })

  it('accepts with --data a fixture of `payload export`, which names its event', async () => {
    writeFileSync(join(folder(), 'f.json'), '{"event":"order.paid","payload":{"order_id":"7781"}}\n')
    expect((await run(['trigger', '--data', 'f.json'])).code).toBe(0)
    expect(bodies()).toEqual([{ order_id: '7781' }])
    expect(receiver().received[0]?.headers['x-service-event']).toBe('order.paid')
  })

  it('makes with --times as many events, each with its own delivery', async () => {
    const { code, stdout } = await run(['trigger', 'message.received', '--times', '3', '--json'])
    expect(code).toBe(0)
    expect(new Set(jsonLines(stdout).map(({ id }) => id)).size).toBe(3)
    expect(new Set(receiver().received.map(({ body }) => body.toString('utf8'))).size).toBe(3)
  })

  it('prints with --dry-run the payload, and delivers nothing', async () => {
    const { code, stdout, stderr } = await run(['trigger', 'message.received', '--text', 'saa', '--dry-run'])
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ event: 'message.received' })])
    expect(JSON.parse(stdout).data.content).toBe('saa')
    expect(stderr).toContain('Nothing was delivered.')
    expect(receiver().received).toEqual([])
  })
})

describe('switchhook trigger --url', () => {
  const direct = (...args: string[]) =>
    run(['trigger', 'message.received', ...args], { SWITCHHOOK_EMULATOR: 'http://127.0.0.1:1' })

  it('signs now and posts, without an emulator [SIG-01]', async () => {
    const { code, stdout } = await direct('--url', receiver().url, '--secret', SECRET, '--text', 'saa', '--times', '2')
    expect(code).toBe(0)
    expect(stdout.match(/^message\.received +[0-9A-Z]{26} +200 .* yes$/gm)).toHaveLength(2)
    expect(receiver().received.every(isGenuine)).toBe(true)
    expect(new Set(receiver().received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(2)
  })

  it('exits with 1 if it is refused, with 2 without a secret, with 3 if nothing listens', async () => {
    expect((await direct('--url', receiver().url, '--secret', 'another')).code).toBe(1)
    expect((await direct('--url', receiver().url)).code).toBe(2)
    const nowhere = `http://127.0.0.1:${await freePort()}/webhooks`
    expect((await direct('--url', nowhere, '--secret', SECRET)).code).toBe(3)
  })

  it('exits with 4 if the receiver is not this machine, before anything is sent', async () => {
    const { code, stdout, stderr } = await direct('--url', 'https://shop.example/webhooks', '--secret', SECRET)
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('pass --yes if you mean that')
  })
})
