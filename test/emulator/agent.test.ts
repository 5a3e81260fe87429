import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './support/api.ts'
import { bodyOf, receivedOf } from './support/received.ts'
import { openWorld } from './support/world.ts'

const to = CUSTOMER
const MINUTE = 60_000
const ANSWER = 'This is the AI agent of the emulator.'

async function open(settings: object = {}) {
  const world = await openWorld()
  const { emulator, customer, time } = world
  await emulator.agent.set({ on: true, ...settings })
  return {
    ...world,
    /** Whether the agent answers what the customer writes now. */
    async answers(text = 'Habari'): Promise<boolean> {
      const before = (await byAgent(emulator)).length
      await customer.says(text)
      time.pass(500)
      return (await byAgent(emulator)).length > before
    },
  }
}

async function byAgent(emulator: Emulator) {
  return (await emulator.customer(to).thread()).filter(({ by }) => by === 'agent')
}

describe('the AI agent', () => {
  it('answers the same message that the app receives, and the thread names it as the author [E GEN-13]', async () => {
    await using world = await open()
    await world.customer.says('Habari')
    await world.app.until(1)
    world.time.pass(500)
    const thread = await world.customer.thread()
    expect(thread.map(({ direction, text, by }) => [direction, text, by])).toEqual([
      ['INBOUND', 'Habari', undefined],
      ['OUTBOUND', ANSWER, 'agent'],
    ])
    world.time.pass(100)
    await world.app.until(4)
    expect(bodyOf(receivedOf(world.app, 'message.sent')[0]).data).toMatchObject({ content: ANSWER, to })
    expect((await send(world.emulator, { to, text: 'Karibu' })).status).toBe(200)
    expect((await world.customer.thread()).at(-1)).not.toHaveProperty('by')
  })

  it('can answer first, before the app receives the message [E GEN-13]', async () => {
    await using world = await open({ answersFirst: true })
    world.app.answer = () => {}
    await world.customer.says('Habari')
    expect((await world.customer.thread()).map(({ text }) => text)).toEqual(['Habari', ANSWER])
  })

  it('is paused by the app’s send until the takeover window has elapsed [E GEN-06]', async () => {
    await using world = await open()
    await world.emulator.account.set({ takeoverWindow: '10m' })
    expect(await world.answers()).toBe(true)
    await send(world.emulator, { to, text: 'Karibu' })
    const { json } = await control(world.emulator, 'GET', 'agent')
    expect(json.paused).toEqual([
      {
        number: world.emulator.phoneNumberId,
        customer: to,
        until: new Date(world.time.wall().getTime() + 10 * MINUTE).toISOString(),
      },
    ])
    expect(await world.answers()).toBe(false)
    await world.emulator.clock.advance(10 * MINUTE - 1_001)
    expect(await world.answers()).toBe(false)
    await world.emulator.clock.advance(501)
    expect(await world.answers()).toBe(true)
  })

  it('is silenced by a send during its delay, and pauses only for that customer [E GEN-06]', async () => {
    await using world = await open()
    const other = world.emulator.customer('254700000102')
    await world.customer.says('Habari')
    await other.says('Habari')
    world.time.pass(499)
    await send(world.emulator, { to, text: 'Karibu' })
    world.time.pass(1)
    expect((await world.customer.thread()).map(({ text }) => text)).toEqual(['Habari', 'Karibu'])
    expect((await other.thread()).map(({ text }) => text)).toEqual(['Habari', ANSWER])
  })

  it('is paused by a person’s reply in the dashboard, and not by a send that is refused or replayed [E GEN-06]', async () => {
    await using world = await open()
    await world.customer.says('Habari')
    world.time.pass(500)
    expect((await send(world.emulator, { to, text: '' })).status).toBe(422)
    expect(await world.answers()).toBe(true)
    const key = { 'Idempotency-Key': 'k' }
    await send(world.emulator, { to, text: 'Karibu' }, key)
    await world.customer.says('BOT')
    expect((await send(world.emulator, { to, text: 'Karibu' }, key)).headers.get('Idempotency-Replayed')).toBe('true')
    expect(await world.answers()).toBe(true)
    const reply = await control(world.emulator, 'POST', `customers/${to}/replies`, { text: 'Naam' })
    expect((await world.customer.thread()).at(-1)).toMatchObject({ id: reply.json.messageId, by: 'dashboard' })
    expect(await world.answers()).toBe(false)
  })

  it('resumes at once when the customer types BOT, and answers that message [E GEN-06]', async () => {
    await using world = await open()
    for (const typed of ['BOT', ' bot ']) {
      await world.customer.says('Habari')
      await send(world.emulator, { to, text: 'Karibu' })
      expect(await world.answers('robot')).toBe(false)
      expect(await world.answers(typed), typed).toBe(true)
    }
  })

  it('is never paused on a number whose human takeover is disabled [E GEN-06]', async () => {
    await using world = await open()
    await world.emulator.account.set({ takeoverWindow: null })
    await world.customer.says('Habari')
    await send(world.emulator, { to, text: 'Karibu' })
    expect(await world.answers()).toBe(true)
    expect((await world.emulator.agent.get()).paused).toEqual([])
  })
})
