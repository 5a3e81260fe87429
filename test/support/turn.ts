import { ulid } from 'ulid'
import { signDelivery } from '../../src/bot/switchhook.ts'
import type { World as VirtualWorld } from './virtual-world.ts'
import { ASHA, type World } from './world.ts'

type AnyWorld = World | VirtualWorld

const OPEN = ['stored', 'running', 'retry']

/** Runs an input: resolves when one more item is done, and nothing waits any more. */
export async function turn(world: AnyWorld, input: () => Promise<unknown>): Promise<void> {
  const before = await atRest(world)
  await input()
  await world.until(async () => (await atRest(world)) > before)
  await world.settled()
}

/** A customer writes, and the bot handles the message. */
export async function says(world: AnyWorld, text: string, customer = ASHA): Promise<void> {
  await turn(world, () => world.emulator.customer(customer).says(text))
}

/** A customer taps an option that the phone shows, and the bot handles the tap. */
export async function taps(world: AnyWorld, id: string, customer = ASHA): Promise<void> {
  await turn(world, () => world.emulator.customer(customer).taps(id))
}

/** A customer taps any id, whether or not the phone shows it. */
export async function forges(world: AnyWorld, id: string, customer = ASHA): Promise<void> {
  await turn(world, () => world.control('POST', `customers/${customer}/messages`, { tap: { id } }))
}

/** Delivers an event that the emulator knows nothing of, correctly signed. */
export async function happens(world: AnyWorld, event: string, payload: unknown): Promise<void> {
  const body = JSON.stringify(payload)
  const secret = world.emulator.signingSecret
  const headers = signDelivery({ body, secret, at: new Date(world.now()), event, deliveryId: ulid() })
  const status = await world.deliver(headers, body)
  if (status !== 200) throw new Error(`the delivery was answered ${status}`)
}

async function atRest(world: AnyWorld): Promise<number> {
  const { items } = await world.counts()
  return Object.entries(items).reduce((sum, [state, count]) => (OPEN.includes(state) ? sum : sum + count), 0)
}
