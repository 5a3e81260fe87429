import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { readBody } from '../../src/bot/inbox/payload/read-body.ts'
import { shapeOf } from '../../src/bot/inbox/payload/shape.ts'
import type { View } from '../../src/bot/inbox/payload/facts.ts'
import { fixtureOf, writeFixtures } from '../support/fixtures.ts'
import { temporaryFolder } from '../support/folder.ts'
import { control, send } from './support/api.ts'
import { manualTime } from './support/time.ts'

const VECTORS = new URL('../vectors/payloads.json', import.meta.url)
const vectors = (
  JSON.parse(readFileSync(VECTORS, 'utf8')) as { payloads: { name: string; event: string; body: string }[] }
).payloads
const named = (...names: string[]) =>
  names.map((name) => {
    const { event, body } = vectors.find((vector) => vector.name === name) as { event: string; body: string }
    return fixtureOf(event, body)
  })

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

const AT = Date.parse('2026-05-01T08:00:00.500Z')
const WRITER = '255700000999'

interface Told {
  readonly event: string
  readonly json: Record<string, unknown>
  readonly view: View
}

/** Does something at an emulator with fixtures, and gives the events that follow from it. */
async function events(fixtures: readonly object[], act: (emulator: Emulator) => Promise<unknown>): Promise<Told[]> {
  const time = manualTime(new Date(AT).toISOString())
  const payloads = writeFixtures(folder, fixtures)
  await using emulator = await createEmulator({ seed: 1, payloads, internals: time })
  await act(emulator)
  time.pass(10_000)
  const { json } = await control(emulator, 'GET', 'events')
  return (json as { items: { event: string; payload: string }[] }).items.map(({ event, payload }) => {
    const reading = readBody(Buffer.from(payload), { event, deliveryId: undefined, now: AT })
    if (!('views' in reading) || !reading.views[0]) throw new Error(`cannot be read: ${payload}`)
    return { event, json: JSON.parse(payload) as Told['json'], view: reading.views[0] }
  })
}

const payloadOf = (name: string) => named(name)[0]?.payload as object
const shape = (json: unknown) => shapeOf(json as Record<string, unknown>).paths

describe('recorded payloads', () => {
  const writings = [
    {
      names: ['R1', 'R2', 'R4'],
      act: { tap: 'track' },
      find: { tapped: { id: 'track', title: 'Fuatilia' } },
      of: 'R2',
    },
    {
      names: ['R1', 'R5', 'R6'],
      act: { media: { kind: 'image', url: 'https://media.example.test/2.jpg', caption: 'Risiti' } },
      find: { media: { kind: 'image', url: 'https://media.example.test/2.jpg', caption: 'Risiti' } },
      of: 'R5',
    },
  ]
  for (const { names, act, find, of } of writings)
    it(`give ${JSON.stringify(act)} its shape, with the customer’s content [R EVT-09]`, async () => {
      const told = await events(named(...names), async (emulator) => {
        await emulator.customer(WRITER).says('first')
        const interactive = (more: object) => send(emulator, { to: WRITER, type: 'interactive', interactive: more })
        await interactive({ type: 'buttons', body: 'b', buttons: [{ id: 'track', title: 'Fuatilia' }] })
        await control(emulator, 'POST', `customers/${WRITER}/messages`, act)
      })
      const { json, view } = told.filter(({ event }) => event === 'message.received')[1] as Told
      const { facts } = view
      expect(facts.customer?.value).toBe(WRITER)
      for (const [fact, value] of Object.entries(find))
        expect(facts[fact as 'tapped']?.value).toMatchObject(value as object)
      // Forms of the service that have a finer clock have it here too; none is off by more than its own unit.
      expect(Math.abs((facts.at?.value ?? 0) - AT)).toBeLessThan(1_000)
      const [recorded] = named(of)
      const gone = shape(recorded?.payload).filter((path) => !shape(json).includes(path))
      expect(shape(json).filter((path) => !shape(recorded?.payload).includes(path))).toEqual([])
      expect(gone.every((path) => /mime|filename/i.test(path))).toBe(true)
      expect(JSON.stringify(json)).not.toMatch(/25471200010|25470000010|255712000/)
    })

  it('give statuses their shapes, preferably one of the same status, in its own spelling [R EVT-09]', async () => {
    const told = await events(named('S1', 'S2', 'S3'), async (emulator) => {
      await emulator.customer(WRITER).says('first')
      await send(emulator, { to: WRITER, text: 'Karibu' })
      await control(emulator, 'PUT', `customers/${WRITER}/handset`, { state: 'online' })
    })
    const statuses = told.filter(({ event }) => event === 'message.status')
    const sent = told.find(({ event }) => event === 'message.sent') as Told
    expect(statuses.map(({ json }) => Object.keys(json))).toEqual([Object.keys(payloadOf('S1')), ['event', 'data']])
    expect(statuses.map(({ view: { facts } }) => facts.status?.value)).toEqual(['sent', 'delivered'])
    expect(statuses[0]?.json['status']).toBe('SENT')
    for (const { view } of statuses) {
      expect(view.facts.customer?.value).toBe(WRITER)
      expect(view.facts.messageId?.value).toBe(sent.view.facts.messageId?.value)
      expect(Math.abs((view.facts.at?.value ?? 0) - AT)).toBeLessThan(10_000)
    }
  })

  it('have the new customer and ids wherever the recorded ones were [R EVT-09]', async () => {
    const body = {
      type: 'message.received',
      data: {
        message_id: 'm-1',
        message: { id: 'm-1', from: '+255 712 000 103', text: 'Habari' },
        contact: { wa_id: 255712000103, name: 'Juma' },
        conversation: 'conv_255712000103',
        window: { '255712000103': true },
        timestamp: '1772615721120',
      },
    }
    const [told] = await events([fixtureOf('message.received', JSON.stringify(body))], (emulator) =>
      emulator.customer(WRITER).says('Bei gani?'),
    )
    const id = told?.view.facts.messageId?.value
    expect(id).toMatch(/^msg_/)
    expect(told?.json).toEqual({
      type: 'message.received',
      data: {
        message_id: id,
        message: { id, from: WRITER, text: 'Bei gani?' },
        contact: { wa_id: Number(WRITER), name: `Customer ${WRITER.slice(-3)}` },
        conversation: `conv_${WRITER}`,
        window: { [WRITER]: true },
        timestamp: String(AT),
      },
    })
  })

  for (const [recorded, like] of [
    [1772615721, 1777622400],
    ['1772615721', '1777622400'],
    ['2026-03-04T12:15:21+03:00', '2026-05-01T08:00:00.500Z'],
  ] as const)
    it(`have the new time in the form of ${recorded} [R EVT-09]`, async () => {
      const body = { data: { id: 'm-1', from: '255712000103', text: 'Habari', created_at: recorded } }
      const [told] = await events([fixtureOf('message.received', JSON.stringify(body))], (emulator) =>
        emulator.customer(WRITER).says('Bei gani?'),
      )
      expect(told?.json).toMatchObject({ data: { created_at: like } })
    })

  it('leave events without a fitting one to made-up shapes, with one warning [R EVT-09]', async () => {
    const warnings: string[] = []
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)))
    const told = await events(named('S1', 'R1'), async (emulator) => {
      const image = { media: { kind: 'image', url: 'https://media.example.test/2.jpg' } }
      await control(emulator, 'POST', `customers/${WRITER}/messages`, image)
      await control(emulator, 'POST', `customers/${WRITER}/messages`, image)
      await emulator.customer(WRITER).says('Bei gani?')
    })
    warn.mockRestore()
    expect(told.map(({ view }) => view.facts.kind?.value)).toEqual(['image', 'image', 'text'])
    expect(warnings).toEqual([
      'No recorded payload fits a message.received with customer, media.url: it is sent in a shape that the emulator made up.',
    ])
  })
})
