import { signDelivery } from '../../src/index.ts'
import { happens, says, turn } from '../support/turn.ts'
import type { ServiceMemory } from '../support/service-memory.ts'
import type { World } from '../support/virtual-world.ts'
import { PEOPLE } from './shop.ts'

/** A delivery that comes once more to the release that opens the database. */
export async function deliverAgain(world: World): Promise<void> {
  const body = JSON.stringify({ data: { from: PEOPLE.failed, id: 'wamid.known', text: 'count' } })
  const secret = world.emulator.signingSecret
  const about = { event: 'message.received', deliveryId: '01KNOWN0000000000000000000' }
  const status = await world.deliver(signDelivery({ body, secret, at: new Date(world.now()), ...about }), body)
  if (status !== 200) throw new Error(`the delivery was answered ${status}`)
}

/** Plays until each table has a row, and kills the process in the middle of its work. Returns what the service knows then. */
export async function playUntilKilled(world: World): Promise<ServiceMemory> {
  await says(world, 'count', PEOPLE.asked)
  await says(world, 'ticket', PEOPLE.asked)
  await says(world, 'habari', PEOPLE.asked)
  await says(world, 'book', PEOPLE.asked)
  await says(world, 'Monday', PEOPLE.asked)
  await says(world, 'person', PEOPLE.handedOver)
  await says(world, 'fail', PEOPLE.failed)
  await turn(world, () => deliverAgain(world))
  await happens(world, 'order.paid', { data: { order: { id: 7780 } } })
  await happens(world, 'message.status', { data: { message_id: 'of-nobody', status: 'read', to: PEOPLE.failed } })
  await world.settled()
  await world.bot.to(PEOPLE.asked).send('Tomorrow at nine', { key: 'reminder', at: '4m', ref: 'order 7781' })
  const act = await world.store().recordAct({ at: world.now(), who: 'Neema', act: 'retry', what: 'one delivery' })
  await world.store().endAct(act, 1)
  // Payloads are counted in memory, and written once a minute.
  await world.pass('2m')
  await leaveWork(world)
  const service = world.serviceMemory()
  world.kill()
  return service
}

/** Replies whose answers were lost, one behind a number that is closed, and a delivery that nobody has ingested. */
async function leaveWork(world: World): Promise<void> {
  await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 2 }])
  for (const customer of [PEOPLE.unanswered, PEOPLE.forgotten]) {
    await world.emulator.customer(customer).says('count')
    await world.until(async () => (await world.replies(customer)).length === 1)
  }
  await world.bot.to(PEOPLE.forgotten).forget()
  await world.emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 1 }])
  await world.emulator.customer(PEOPLE.held).says('count')
  await world.until(async () => (await world.read('SELECT 1 FROM throttles')).length === 1)
  await world.emulator.faults.clear()
  await happens(world, 'order.paid', { data: { order: { id: 7781 }, payer: { tel: PEOPLE.failed } } })
}
