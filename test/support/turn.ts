import { signDelivery } from '../../src/index.ts'
import { ulid } from 'ulid'
import { ASHA, type World } from './world.ts'

const OPEN = ['stored', 'running', 'retry']

/** Something comes in: resolves when one item more is at rest, and nothing waits any more. */
export async function turn(world: World, comes: () => Promise<unknown>): Promise<void> {
  const before = await atRest(world)
  await comes()
  await world.until(async () => (await atRest(world)) > before)
  await world.settled()
}

/** A customer writes, and the bot is done with it. */
export async function says(world: World, text: string, customer = ASHA): Promise<void> {
  await turn(world, () => world.emulator.customer(customer).says(text))
}

/** A customer taps what the phone shows, and the bot is done with it. */
export async function taps(world: World, id: string, customer = ASHA): Promise<void> {
  await turn(world, () => world.emulator.customer(customer).taps(id))
}

/** A tap of whatever id, whether or not the phone shows it. */
export async function forges(world: World, id: string, customer = ASHA): Promise<void> {
  await turn(world, () => world.control('POST', `customers/${customer}/messages`, { tap: { id } }))
}

/** Something happens at the service that the emulator knows nothing of: a delivery of this event, truly signed. */
export async function happens(world: World, event: string, payload: unknown): Promise<void> {
  const [subscription] = await world.emulator.subscriptions.list()
  if (!subscription) throw new Error('no subscription')
  const body = JSON.stringify(payload)
  const secret = world.emulator.signingSecret
  const headers = signDelivery({ body, secret, at: new Date(), event, deliveryId: ulid() })
  const { status } = await fetch(subscription.url, { method: 'POST', body, headers })
  if (status !== 200) throw new Error(`the delivery was answered ${status}`)
}

async function atRest(world: World): Promise<number> {
  const { items } = await world.counts()
  return Object.entries(items).reduce((sum, [state, count]) => (OPEN.includes(state) ? sum : sum + count), 0)
}
