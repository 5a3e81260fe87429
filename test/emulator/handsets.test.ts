import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../src/emulator/emulator.ts'
import { codeSend, control, CUSTOMER, send } from './support/api.ts'
import { bodyOf, receivedOf } from './support/received.ts'
import { openWorld } from './support/world.ts'

const to = CUSTOMER
const VOICE_NOTE = { to, type: 'audio', media_url: 'https://media.example.com/1.ogg' }

/** An emulator in whose one shape of statuses `{message_id, status, failure_reason}` stand at the top. */
async function open() {
  const world = await openWorld({ assumptions: { statusCase: 'lower' } })
  const { app, emulator, customer } = world
  await customer.says('Habari')
  await app.until(1)
  return {
    ...world,
    /** The id of a send that is accepted. */
    sent: async (body: object): Promise<string> => {
      const { status, json } = await send(emulator, body)
      if (status !== 200) throw new Error(`refused: ${JSON.stringify(json)}`)
      return json.id
    },
    /** All statuses of a message that events reported, in the order of the log. */
    reported: async (id: string): Promise<string[]> =>
      (await statuses(emulator)).filter((it) => it.id === id).map((it) => it.status),
  }
}

async function statuses(emulator: Emulator): Promise<{ id: string; status: string; reason?: string }[]> {
  return (await emulator.events.list())
    .filter(({ event }) => event === 'message.status')
    .map(({ payload }) => JSON.parse(payload))
    .map(({ message_id: id, status, failure_reason: reason }) => ({ id, status, ...(reason && { reason }) }))
}

async function shown(emulator: Emulator, id: string) {
  return (await emulator.customer(to).thread()).find((item) => item.id === id)
}

describe('a handset', () => {
  it('reports that a message was read, and that a voice note was played, when the customer does so [E SEND-24]', async () => {
    await using world = await open()
    const { emulator, time } = world
    const text = await world.sent({ to, text: 'Karibu' })
    const voice = await world.sent(VOICE_NOTE)
    time.pass(100)
    const read = await control(emulator, 'POST', `customers/${to}/statuses`, { status: 'read' })
    expect(read.json).toEqual({ messageIds: [text, voice] })
    expect(await world.reported(text)).toEqual(['sent', 'delivered', 'read'])
    expect((await world.customer.plays(voice)).messageIds).toEqual([voice])
    expect(await world.reported(voice)).toEqual(['sent', 'delivered', 'read', 'played'])
    expect([(await shown(emulator, text))?.status, (await shown(emulator, voice))?.status]).toEqual(['read', 'played'])
    expect((await world.customer.reads()).messageIds).toEqual([])
    await world.app.until(1 + 2 + 7)
    expect(
      receivedOf(world.app, 'message.status')
        .map((received) => bodyOf(received).status)
        .toSorted((a: string, b: string) => (a < b ? -1 : 1)),
    ).toEqual(['delivered', 'delivered', 'played', 'read', 'read', 'sent', 'sent'])
  })

  it('that is offline gets its messages when it is online again, in order [E SEND-24]', async () => {
    await using world = await open()
    const { emulator, time } = world
    const put = await control(emulator, 'PUT', `customers/${to}/handset`, { online: false })
    expect(put.json).toEqual({ online: false, blocked: false })
    const ids = [await world.sent({ to, text: 'one' }), await world.sent({ to, text: 'two' })]
    time.pass(24 * 3_600_000)
    for (const id of ids) expect(await world.reported(id)).toEqual(['sent'])
    const refused = await control(emulator, 'POST', `customers/${to}/statuses`, { status: 'read' })
    expect([refused.status, refused.json.code]).toEqual([409, 'handset_offline'])
    await world.customer.setHandset({ online: true })
    expect((await statuses(emulator)).slice(-2)).toEqual(ids.map((id) => ({ id, status: 'delivered' })))
    await world.customer.setHandset({ online: true })
    for (const id of ids) expect(await world.reported(id)).toEqual(['sent', 'delivered'])
  })

  it('that blocks the business makes messages fail with a reason, permanently [E SEND-24 EVT-06]', async () => {
    await using world = await open()
    await world.customer.setHandset({ blocked: true })
    const id = await world.sent({ to, text: 'Karibu' })
    world.time.pass(100)
    const reported = (await statuses(world.emulator)).filter((it) => it.id === id)
    expect(reported).toEqual([
      { id, status: 'sent' },
      { id, status: 'failed', reason: expect.stringContaining('blocked') },
    ])
    expect(await shown(world.emulator, id)).toMatchObject({ status: 'failed', failureReason: reported[1]?.reason })
    await world.customer.setHandset({ blocked: false })
    expect((await world.customer.reads()).messageIds).toEqual([])
  })

  it('makes a message fail manually, unless it was delivered [E SEND-24]', async () => {
    await using world = await open()
    const move = (body: object) => control(world.emulator, 'POST', `customers/${to}/statuses`, body)
    const id = await world.sent({ to, text: 'Karibu' })
    expect((await move({ status: 'failed', messageId: id })).json).toEqual({ messageIds: [id] })
    world.time.pass(100)
    expect((await statuses(world.emulator)).filter((it) => it.id === id)[0]).toEqual({
      id,
      status: 'failed',
      reason: expect.stringMatching(/\w/),
    })
    const other = await world.sent({ to, text: 'Tena' })
    world.time.pass(100)
    expect(await move({ status: 'failed', messageId: other })).toMatchObject({
      status: 409,
      json: { code: 'not_possible' },
    })
    expect(await move({ status: 'played', messageId: other })).toMatchObject({
      status: 409,
      json: { code: 'not_possible' },
    })
    expect((await move({ status: 'read', messageId: 'none' })).status).toBe(404)
    for (const bad of [{}, { status: 'seen' }, { status: 'read', id: other }])
      expect((await move(bad)).json.code, JSON.stringify(bad)).toBe('invalid_request')
  })

  it('shows a one-time code only once it is reached, and none that expired before [E OTP-06]', async () => {
    await using world = await open()
    const { emulator, time, customer } = world
    await emulator.templates.add({ name: 'code', language: 'sw', category: 'AUTHENTICATION', expiryMinutes: 5 })
    await customer.setHandset({ online: false })
    const late = await world.sent(codeSend('111111'))
    time.pass(5 * 60_000)
    expect(await world.reported(late)).toEqual(['sent', 'failed'])
    await world.sent(codeSend('222222'))
    time.pass(60_000)
    expect(await customer.codes()).toEqual([])
    await customer.setHandset({ online: true })
    expect((await customer.codes()).map((shownCode) => shownCode.code)).toEqual(['222222'])
  })
})
