import { beforeEach, describe, expect, it } from 'vitest'
import { Observations, readBody, shapeOf } from '../../src/payload/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { bytesOf, message, NOW } from '../payload/reading.ts'
import { delivery } from '../stores/samples.ts'
import { databaseFolder } from './database-folder.ts'
import { switchhook } from './support.ts'

const EVENT = 'message.received'
const CANARIES = ['255712000101', 'Mwanaidi Kisongo', 'My loan was refused', 'wamid.HBgMMjU1NzEy']

const { file, folder } = databaseFolder()
let store: Store
beforeEach(() => {
  store = openSqlite(file())
  return () => store.close()
})

const report = (...args: readonly string[]) => switchhook(['payload', 'report', ...args], {}, folder())

/** Counts payloads as a bot would. */
async function count(payloads: readonly unknown[], event = EVENT, at = NOW): Promise<void> {
  const seen = new Observations()
  for (const payload of payloads) {
    const reading = readBody(bytesOf(payload), { event, deliveryId: undefined, now: NOW })
    if (!('refused' in reading)) seen.add(event, reading, at)
  }
  await store.addPayloads(seen.take())
}

/** Counts and records payloads that hold all canaries. */
async function withCanaries(): Promise<void> {
  const [number = '', name, text, id] = CANARIES
  const payloads = [
    message({ text, name, wa_message_id: id, [number]: number }),
    message({ contact: { name, phone: '255712000999' }, [`${name}`]: [text], [`${id}`]: id }),
    {
      messages: [
        { from: number, id, text },
        { from: `+${number}`, id: `${id}2`, text, [`${text}`]: text },
      ],
    },
  ]
  await count(payloads)
  for (const payload of payloads) await store.accept(delivery({ event: EVENT, body: Buffer.from(bytesOf(payload)) }))
}

describe('switchhook payload report', () => {
  it('says for each fact in how many messages it was found, where, how surely, since when, and what is in doubt [R EVT-07]', async () => {
    await count([message(), message({ contact: { phone: '255712000999' } })])
    const other = { event: EVENT, data: { id: 'm', text: 'hi', sender: '255712000101' } }
    await count([other], EVENT, NOW + 86_400_000)
    const { code, stdout, stderr } = await report()
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('message.received: 3 deliveries, 3 messages, since 2026-03-04')
    const about = lines.slice(1, 7).map((line) => line.split(/ {2,}/))
    expect(about).toEqual([
      ['FACT', 'FOUND', 'SURE', 'HOW', 'PATH', 'SINCE'],
      ['customer', '2 of 3', '1 of 2', 'guessed', 'data.from', '2026-03-04'],
      ['', '1 of 3', 'no', 'guessed', 'data.sender', '2026-03-05'],
      ['', '1 of 3', 'conflict', 'data.contact.phone', '2026-03-04'],
      ['messageId', '3 of 3', 'yes', 'guessed', 'data.id', '2026-03-04'],
      ['at', '2 of 3', 'yes', 'guessed', 'data.timestamp', '2026-03-04'],
    ])
    expect(stdout).toContain(`shape ${shapeOf(message()).fingerprint}: 1 delivery, 7 paths, since 2026-03-04`)
    expect(stdout).toContain('  + data.contact.phone:string')
  })

  it('says so if a needed fact was never found [R EVT-07]', async () => {
    await count([{ event: 'message.status', data: { status: 'sent' } }], 'message.status')
    const { stdout } = await report()
    expect(stdout).toMatch(/^customer +0 of 1$/m)
    expect(stdout).toMatch(/^messageId +0 of 1$/m)
  })

  it('gives all of it as JSON, of one event too [R EVT-07]', async () => {
    await count([message()])
    await count([{ event: 'order.paid', data: { order: 1 } }], 'order.paid')
    const { events } = JSON.parse((await report('--json', '--event', EVENT)).stdout) as { events: unknown[] }
    const at = new Date(NOW).toISOString()
    expect(events).toMatchObject([
      {
        event: EVENT,
        deliveries: 1,
        messages: 1,
        since: at,
        shapes: [{ ...shapeOf(message()), deliveries: 1, messages: 1, since: at, last: at }],
      },
    ])
    expect(events).toEqual([
      expect.objectContaining({
        facts: expect.arrayContaining([
          {
            fact: 'customer',
            found: 1,
            of: 1,
            places: [{ path: 'data.from', how: 'guessed', found: 1, sure: 1, since: at, last: at }],
            doubts: [],
          },
        ]) as unknown,
      }),
    ])
  })

  it('reads recorded deliveries as they would be read now, by the paths that the app maps [R EVT-07]', async () => {
    await count([message()])
    await store.keepMapping([{ event: EVENT, fact: 'customer', path: 'data.sender' }])
    const payload = { event: EVENT, data: { id: 'm', text: 'hi', sender: '255712000101' } }
    await store.accept(delivery({ event: EVENT, body: Buffer.from(bytesOf(payload)) }))
    const { stdout } = await report('--recorded')
    expect(stdout).toMatch(/^message.received: 1 delivery, 1 message$/m)
    expect(stdout).toMatch(/^customer +1 of 1 +yes +mapped +data.sender$/m)
  })

  it('shows nothing of any customer: no number, no name, no text, no id, in whatever place [R EVT-07]', async () => {
    await withCanaries()
    const all = await Promise.all([report(), report('--json'), report('--recorded'), report('--recorded', '--json')])
    for (const { stdout, stderr } of all) {
      expect(stdout).toContain('message')
      for (const canary of CANARIES) expect(stdout + stderr).not.toContain(canary)
      expect(stdout + stderr).not.toContain('Kisongo')
    }
  })

  it('says what to do if nothing is counted yet, and where it has looked', async () => {
    const { code, stdout, stderr } = await report()
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('No payload is counted in ./switchhook.db')
    expect((await report('--json')).stdout).toBe('{"events":[]}\n')
  })
})
