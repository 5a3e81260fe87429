import { randomBytes } from 'node:crypto'
import { FAILURES_UNTIL_DISABLED } from '../../contract/index.ts'
import type { Ids } from '../model/ids.ts'

/** A registered endpoint of the app, as the dashboard keeps it. */
export interface Subscription {
  readonly id: string
  readonly url: string
  /** Shown once, at registration; a new registration brings a new one. */
  secret: string
  state: 'active' | 'disabled'
  /** Failed deliveries in a row. */
  failures: number
}

export interface Subscriptions {
  /** A known address is reactivated under a new secret. Without `secret` one is made up. */
  register(url: string, secret?: string): Subscription
  remove(id: string): boolean
  byId(id: string): Subscription | undefined
  byUrl(url: string): Subscription | undefined
  list(): readonly Subscription[]
  save(): readonly Subscription[]
  /** A delivery was acknowledged. */
  succeeded(subscription: Subscription): void
  /** A delivery failed; the twentieth in a row disables the subscription. */
  failed(subscription: Subscription): void
}

/** `changed` is told each one that is new, gone, or in another state. */
export function createSubscriptions(
  ids: Pick<Ids, 'subscription'>,
  changed: (subscription: Subscription) => void,
  saved: readonly Subscription[] = [],
): Subscriptions {
  const byId = new Map(saved.map((subscription) => [subscription.id, { ...subscription }]))
  const byUrl = (url: string) => [...byId.values()].find((subscription) => subscription.url === url)
  return {
    register(url, secret = newSigningSecret()) {
      const subscription = byUrl(url) ?? { id: ids.subscription(), url, secret, state: 'active', failures: 0 }
      Object.assign(subscription, { secret, state: 'active', failures: 0 })
      byId.set(subscription.id, subscription)
      changed(subscription)
      return subscription
    },
    remove(id) {
      const removed = byId.get(id)
      byId.delete(id)
      if (removed) changed(removed)
      return removed !== undefined
    },
    byId: (id) => byId.get(id),
    byUrl,
    list: () => [...byId.values()],
    save: () => [...byId.values()].map((subscription) => ({ ...subscription })),
    // One that is disabled stays as it is, whatever becomes of what was under way: registering it anew alone helps.
    succeeded(subscription) {
      if (subscription.state === 'active') subscription.failures = 0
    },
    failed(subscription) {
      if (subscription.state === 'disabled') return
      subscription.failures++
      if (subscription.failures < FAILURES_UNTIL_DISABLED) return
      subscription.state = 'disabled'
      changed(subscription)
    },
  }
}

export function newSigningSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`
}
