import { describe, expect, it } from 'vitest'
import { control, CUSTOMER, send } from './support/api.ts'
import type { Received } from './support/app.ts'
import { bodyOf, eventNames, receivedOf, viewOf } from './support/received.ts'
import { openWorld } from './support/world.ts'

const to = CUSTOMER
const ALL = [
  'message.received',
  'message.status',
  'message.sent',
  'template.status',
  'account.error',
  'conversation.escalated',
  'order.paid',
]
const DECLARED_SHAPES = 2

function factsOf(received: Received, now: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(viewOf(received, now).facts).map(([name, fact]) => [name, fact.value]))
}

describe('events', () => {
  it('template.status follows only a change of the review state, with the id of the list [E EVT-01]', async () => {
    await using world = await openWorld()
    const { emulator, app } = world
    const { id } = await emulator.templates.add({ name: 'order', language: 'sw', body: 'Oda' })
    const patch = (change: object) => control(emulator, 'PATCH', `templates/${id}`, change)
    await patch({ qualityScore: 'RED' })
    await patch({ status: 'APPROVED' })
    await patch({ status: 'PAUSED' })
    await app.until(1)
    expect(bodyOf(app.received[0]).data).toMatchObject({
      template_id: id,
      template_name: 'order',
      template_language: 'sw',
      status: 'PAUSED',
      previous_status: 'APPROVED',
    })
    expect(eventNames(app)).toEqual(['template.status'])
  })

  it('message.sent covers every source: the API, a person in the dashboard, the agent [E EVT-01 EVT-06]', async () => {
    await using world = await openWorld()
    const { emulator, app, time } = world
    await emulator.agent.set({ on: true, answersFirst: true })
    await emulator.customer(to).says('Habari')
    await send(emulator, { to, text: 'Karibu' })
    await control(emulator, 'POST', `customers/${to}/replies`, { text: 'Naam' })
    time.pass(20)
    await app.until(7)
    const published = receivedOf(app, 'message.sent').map((received) => bodyOf(received).data)
    expect(published.map(({ content, source, to: whom }) => [content, source, whom])).toEqual([
      ['This is the AI agent of the emulator.', 'AI', to],
      ['Karibu', 'HUMAN', to],
      ['Naam', 'HUMAN', to],
    ])
  })

  it('leave out the declared events if they are switched off, but never one that is fired manually [E EVT-01]', async () => {
    await using world = await openWorld()
    const { emulator, app, time } = world
    await emulator.assumptions.set({ declaredEvents: 'unpublished' })
    await emulator.customer(to).says('Habari')
    await send(emulator, { to, text: 'Karibu' })
    await emulator.account.set({ suspended: true })
    time.pass(100)
    await app.until(3)
    await emulator.events.fire({ event: 'order.paid' })
    await app.until(4)
    expect(eventNames(app).sort()).toEqual(['message.received', 'message.status', 'message.status', 'order.paid'])
  })

  for (let shape = 0; shape < DECLARED_SHAPES; shape++)
    it(`the declared events can be read in shape ${shape} [E DEL-11]`, async () => {
      await using world = await openWorld({ assumptions: { payloadShape: shape } })
      const { emulator, app } = world
      const fired = ['message.sent', 'template.status', 'account.error', 'conversation.escalated', 'order.paid']
      for (const [index, event] of fired.entries()) {
        await emulator.events.fire({ event, customer: to })
        await app.until(index + 1)
      }
      const now = world.time.wall().getTime()
      const facts = Object.fromEntries(app.received.map((received, index) => [fired[index], factsOf(received, now)]))
      expect(facts['message.sent']).toMatchObject({ customer: to, text: 'Karibu', messageId: expect.any(String) })
      expect(facts['template.status']?.['template']).toMatchObject({ name: 'order_update', status: 'approved' })
      expect(facts['account.error']).toMatchObject({ failureReason: 'The number was disconnected.', at: now })
      expect(facts['conversation.escalated']).toMatchObject({ customer: to, at: now })
      expect(facts['order.paid']).toMatchObject({ customer: to, at: now })
    })
})

describe('an event fired manually', () => {
  it('is any of the seven, signed and with an example, and changes nothing else [E EVT-01]', async () => {
    await using world = await openWorld()
    const { emulator, app } = world
    for (const event of ALL) {
      const { status, json } = await control(emulator, 'POST', 'events', { event })
      expect([status, json], event).toEqual([200, { eventId: expect.any(String), deliveryIds: [expect.any(String)] }])
    }
    await app.until(ALL.length)
    expect(eventNames(app).sort()).toEqual([...ALL].sort())
    for (const received of app.received) expect(bodyOf(received)).toEqual(expect.any(Object))
    expect((await control(emulator, 'GET', `customers/${to}/thread`)).json.items).toEqual([])
    expect((await send(emulator, { to, text: 'x' })).json.code).toBe('outside_messaging_window')
  })

  it('has any name and any payload, even unknown names and bodies that are not JSON', async () => {
    await using world = await openWorld()
    const { emulator, app } = world
    const payload = [{ deep: { nothing: null } }, 7, '👋🏽']
    await emulator.events.fire({ event: 'conversation.rated', payload })
    await app.until(1)
    await emulator.events.fire({ event: 'message.received', raw: '{"id": "x",' })
    await app.until(2)
    await emulator.events.fire({ event: 'conversation.rated' })
    await app.until(3)
    expect(eventNames(app)).toEqual(['conversation.rated', 'message.received', 'conversation.rated'])
    expect(app.received[0]?.raw.toString('utf8')).toBe(JSON.stringify(payload))
    expect(app.received[1]?.raw.toString('utf8')).toBe('{"id": "x",')
    expect(bodyOf(app.received[2]).event).toBe('conversation.rated')
  })
})
