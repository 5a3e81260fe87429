import { randomBytes } from 'node:crypto'
import { FAILURES_UNTIL_DISABLED } from '../../contract/index.ts'
import { isPublicHost } from '../http/public-host.ts'
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

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** `changed` is called with each subscription that is new, gone, or in another state. */
export function createSubscriptions(ids: Pick<Ids, 'subscription'>, changed: (subscription: Subscription) => void) {
  const byId = new Map<string, Subscription>()
  const byUrl = (url: string) => [...byId.values()].find((subscription) => subscription.url === url)
  return {
    register(url: string, secret = newSigningSecret()): Subscription {
      const subscription: Subscription = byUrl(url) ?? {
        id: ids.subscription(),
        url,
        secret,
        state: 'active',
        failures: 0,
      }
      Object.assign(subscription, { secret, state: 'active', failures: 0 })
      byId.set(subscription.id, subscription)
      changed(subscription)
      return subscription
    },
    remove(id: string): void {
      const removed = byId.get(id)
      byId.delete(id)
      if (removed) changed(removed)
    },
    byId: (id: string) => byId.get(id),
    byUrl,
    list: (): readonly Subscription[] => [...byId.values()],
    // A disabled subscription stays disabled, whatever becomes of attempts under way: only a new registration helps.
    succeeded(subscription: Subscription): void {
      if (subscription.state === 'active') subscription.failures = 0
    },
    /** The twentieth failure in a row disables the subscription (DEL-08). */
    failed(subscription: Subscription): void {
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

/** Tells whether events can be posted to an address. Credentials in it are refused: they would end up in every listing. */
export function isEndpoint(text: unknown): boolean {
  // Checked by form first: a URL parser fixes and trims, and the fixed address would differ from the listed one.
  const url = typeof text === 'string' && /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === ''
}

/** Tells whether the real service accepts an endpoint: judged by its form, nothing is looked up (DEL-09). */
export function isPublicEndpoint(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.protocol === 'https:' && isPublicHost(url.hostname)
}
