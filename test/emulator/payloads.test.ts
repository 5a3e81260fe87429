import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './support/api.ts'
import { header, type Received, startApp } from './support/app.ts'
import { viewOf } from './support/received.ts'
import { manualTime } from './support/time.ts'

const AT = Date.parse('2026-03-04T09:15:21.481Z')
const RECEIVED_SHAPES = 3
const STATUS_SHAPES = 3

async function bodiesOf(count: number, seed: number): Promise<string[]> {
  await using app = await startApp()
  await using emulator = await createEmulator({ webhook: app.url, seed, internals: manualTime() })
  for (let n = 1; n <= count; n++) {
    await emulator.customer(CUSTOMER).says(`message ${n}`)
    await app.until(n)
  }
  return app.received.map(({ raw }) => raw.toString('utf8'))
}

async function idsOf(seed: number): Promise<unknown> {
  await using emulator = await createEmulator({ webhook: 'http://127.0.0.1:9/nobody', seed, internals: manualTime() })
  return emulator.customer(CUSTOMER).says('Habari')
}

/** The members of a payload at its first two levels: what tells two shapes apart. */
function outline(body: string): string {
  const json = JSON.parse(body) as Record<string, unknown>
  const inner = (value: unknown) => (typeof value === 'object' && value !== null ? Object.keys(value).sort() : '')
  return JSON.stringify(Object.entries(json).map(([key, value]) => [key, inner(value)]))
}

const WRITINGS: readonly { what: string; body: object; find: object }[] = [
  { what: 'a text', body: { text: 'Habari' }, find: { kind: 'text', text: 'Habari' } },
  { what: 'a tapped button', body: { tap: 'track' }, find: { tapped: { id: 'track', title: 'Fuatilia' } } },
  { what: 'a tapped row', body: { tap: 'arusha' }, find: { tapped: { id: 'arusha', title: 'Arusha' } } },
  { what: 'a quick reply', body: { quickReply: { id: 'YES:1' } }, find: { tapped: { id: 'YES:1' } } },
  {
    what: 'an image',
    body: { media: { kind: 'image', url: 'https://media.example.test/1.jpg', mime: 'image/jpeg', caption: 'Risiti' } },
    find: { kind: 'image', media: { url: 'https://media.example.test/1.jpg', mime: 'image/jpeg', caption: 'Risiti' } },
  },
  {
    what: 'a voice note',
    body: { media: { kind: 'audio', url: 'https://media.example.test/1.ogg', durationMs: 7400 } },
    find: { kind: 'audio', media: { url: 'https://media.example.test/1.ogg', durationMs: 7400 } },
  },
]

async function offerChoices(emulator: Emulator): Promise<void> {
  await emulator.customer(CUSTOMER).says('first')
  const interactive = (more: object) => send(emulator, { to: CUSTOMER, type: 'interactive', interactive: more })
  await interactive({ type: 'buttons', body: 'b', buttons: [{ id: 'track', title: 'Fuatilia' }] })
  await interactive({ type: 'list', body: 'b', sections: [{ rows: [{ id: 'arusha', title: 'Arusha' }] }] })
}

function isStatus(received: Received): boolean {
  return header(received, 'X-Service-Event') === 'message.status'
}

describe('payloads', () => {
  it('rotate through shapes by the seed, so that nobody’s code relies on one guess [E DEL-11]', async () => {
    const shapes = new Set((await bodiesOf(RECEIVED_SHAPES, 7)).map(outline))
    expect(shapes.size).toBe(RECEIVED_SHAPES)
  })

  it('are the same, ids and all, under the same seed and the same clock', async () => {
    expect(await idsOf(7)).toEqual(await idsOf(7))
    expect(await bodiesOf(3, 7)).toEqual(await bodiesOf(3, 7))
    expect(await bodiesOf(3, 7)).not.toEqual(await bodiesOf(3, 8))
  })

  for (let shape = 0; shape < RECEIVED_SHAPES; shape++)
    it(`message.received can be answered in shape ${shape}: customer, message and time are sure, and its content is found [E DEL-11]`, async () => {
      await using app = await startApp()
      const time = manualTime(new Date(AT).toISOString())
      await using emulator = await createEmulator({
        webhook: app.url,
        assumptions: { payloadShape: shape },
        internals: time,
      })
      await offerChoices(emulator)
      for (const { what, body, find } of WRITINGS) {
        const { json } = await control(emulator, 'POST', `customers/${CUSTOMER}/messages`, body)
        await emulator.deliveries.wait(({ id, state }) => id === json.deliveryIds[0] && state === 'delivered')
        const received = app.received.find((it) => header(it, 'X-Service-Delivery') === json.deliveryIds[0])
        if (!received) throw new Error('nothing came')
        const { facts, alarms } = viewOf(received, AT)
        expect(facts.customer, what).toMatchObject({ value: CUSTOMER, sure: true })
        expect(facts.messageId, what).toMatchObject({ value: json.messageId, sure: true })
        expect(facts.at, what).toMatchObject({ value: AT, sure: true })
        const values = Object.fromEntries(Object.entries(facts).map(([name, reading]) => [name, reading.value]))
        expect(values, what).toMatchObject(find)
        expect(alarms, what).toEqual([])
      }
    })

  for (let shape = 0; shape < STATUS_SHAPES; shape++)
    it(`message.status in shape ${shape} names the message, the customer, the status and its time [E DEL-11]`, async () => {
      await using app = await startApp()
      const time = manualTime(new Date(AT).toISOString())
      await using emulator = await createEmulator({
        webhook: app.url,
        assumptions: { payloadShape: shape },
        internals: time,
      })
      await emulator.customer(CUSTOMER).says('Habari')
      await app.until(1)
      const { json } = await send(emulator, { to: CUSTOMER, text: 'Karibu' })
      time.pass(1_000)
      await app.until(4)
      const views = app.received.filter(isStatus).map((received) => viewOf(received, AT + 1_000))
      for (const { facts } of views) {
        expect(facts.customer?.value).toBe(CUSTOMER)
        expect(facts.messageId).toMatchObject({ value: json.id, sure: true })
        expect(Math.abs((facts.at?.value ?? 0) - AT)).toBeLessThan(1_000)
      }
      expect(new Set(views.map(({ facts }) => facts.status?.value))).toEqual(new Set(['delivered', 'sent']))
    })
})
