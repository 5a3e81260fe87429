import { describe, expect, it } from 'vitest'
import { CUSTOMER } from './support/api.ts'
import { header, type Received } from './support/app.ts'
import { bodyOf, signatureOf } from './support/received.ts'
import { openWorld } from './support/world.ts'

const SECRET = 'whsec_open_1'

async function open(rule: object) {
  const world = await openWorld({ secret: SECRET })
  await world.emulator.faults.set([{ on: 'delivery', ...rule }])
  return { ...world, says: world.customer.says }
}

/** Whether a receiver that goes by the specification would take it: signed with the secret, 300 s at most from now. */
function isGood(received: Received, now: Date): boolean {
  const isFresh = Math.abs(now.getTime() / 1_000 - Number(header(received, 'X-Service-Timestamp'))) <= 300
  return isFresh && header(received, 'X-Service-Signature') === signatureOf(received, SECRET)
}

function texts(received: readonly Received[]): string[] {
  return received.map((one) => bodyOf(one).data.content)
}

describe('a delivery', () => {
  it('arrives twice at the same time under one id, and counts once [E DEL-01 DEL-08]', async () => {
    await using world = await open({ do: 'duplicate', next: 1 })
    const { deliveryIds } = await world.says('Habari')
    await world.app.until(2)
    const delivery = await world.emulator.deliveries.wait(({ attempts }) => attempts.length === 2)
    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }, { status: 200 }] })
    expect(world.app.received.map((one) => header(one, 'X-Service-Delivery'))).toEqual([deliveryIds[0], deliveryIds[0]])
    expect(world.app.received.every((one) => isGood(one, world.time.wall()))).toBe(true)
  })

  it('is shuffled: those that wait arrive in reverse order, after a later one [E DEL-03 DEL-08]', async () => {
    await using world = await open({ do: 'shuffle', next: 2 })
    await world.says('one')
    await world.says('two')
    expect(world.app.received).toEqual([])
    await world.says('three')
    expect(texts(await world.app.until(3))).toEqual(['three', 'two', 'one'])
  })

  it('that waits for a later one is sent after two seconds without one [E DEL-08]', async () => {
    await using world = await open({ do: 'shuffle' })
    await world.says('one')
    await world.says('two')
    world.time.pass(1_999)
    expect(world.app.received).toEqual([])
    world.time.pass(1)
    expect(texts(await world.app.until(2))).toEqual(['two', 'one'])
  })

  it('arrives late, freshly signed, with the time of its event [E DEL-08]', async () => {
    await using world = await open({ do: 'late', by: '20m', next: 1 })
    await world.says('one')
    await world.says('two')
    await world.app.until(1)
    world.time.pass(20 * 60_000)
    const received = await world.app.until(2)
    expect(texts(received)).toEqual(['two', 'one'])
    expect(received[1] && isGood(received[1], world.time.wall())).toBe(true)
    expect(bodyOf(received[1]).data.created_at).toBe('2026-03-04T09:00:00.000Z')
  })

  it('is stale: rightly signed, and more than 300 seconds old [E SIG-01 DEL-08]', async () => {
    await using world = await open({ do: 'stale', next: 1 })
    await world.says('Habari')
    const [received] = await world.app.until(1)
    const now = world.time.wall()
    expect(received && isGood(received, now)).toBe(false)
    expect(received && isGood(received, new Date(now.getTime() - 301_000))).toBe(true)
    expect(Number(header(received, 'X-Service-Timestamp'))).toBe(now.getTime() / 1_000 - 301)
  })

  it.each([
    ['tamper', false],
    ['stale', true],
  ])(
    'with the fault `%s` does not verify, and names it in the emulator’s own header and its attempt; its retry is good [E SIG-01 DEL-08]',
    async (fault, isSameBody) => {
      await using world = await open({ do: fault, next: 1 })
      world.app.answer = 401
      await world.says('Habari')
      await world.emulator.deliveries.wait(({ attempts }) => attempts.length === 1)
      world.app.answer = 200
      world.time.pass(1_000)
      const received = await world.app.until(2)
      expect(received.map((one) => isGood(one, world.time.wall()))).toEqual([false, true])
      expect(received[1] && received[0]?.raw.equals(received[1].raw)).toBe(isSameBody)
      expect(received.map(({ headers }) => headers['x-emulator-fault'])).toEqual([fault, undefined])
      const { attempts } = await world.emulator.deliveries.wait(({ state }) => state === 'delivered')
      expect(attempts.map((attempt) => attempt.fault)).toEqual([fault, undefined])
    },
  )

  it('has a fault only if a rule matches its customer and its event', async () => {
    await using world = await open({ do: 'tamper', event: 'order.paid', to: CUSTOMER })
    await world.says('Habari')
    await world.app.until(1)
    await world.emulator.events.fire({ event: 'order.paid', customer: '254700000102' })
    await world.app.until(2)
    await world.emulator.events.fire({ event: 'order.paid', customer: CUSTOMER })
    await world.app.until(3)
    expect(world.app.received.map((one) => isGood(one, world.time.wall()))).toEqual([true, true, false])
  })
})
