import type { State } from '../state.ts'

/**
 * An app hears of another time by the next delivery or answer, and none may come: so to each active endpoint the last
 * delivery that it took comes once more. That is what the service does too, and has no second effect. Resolves when they
 * are answered.
 */
export async function tellTime({
  deliverer,
  subscriptions,
}: Pick<State, 'deliverer' | 'subscriptions'>): Promise<void> {
  const deliveries = deliverer.list()
  const isActive = ({ state }: { readonly state: string }) => state === 'active'
  const last = subscriptions
    .list()
    .filter(isActive)
    .map(({ id }) => deliveries.findLast(({ state, subscription }) => state === 'delivered' && subscription.id === id))
    .filter((delivery) => delivery !== undefined)
  await Promise.all(last.map((delivery) => deliverer.redeliver(delivery, {})))
}
