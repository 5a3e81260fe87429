import { randomBytes } from 'node:crypto'
import { FAILURES_UNTIL_DISABLED } from '../../service/delivery.ts'
import { isPublicHost } from '../../base/host.ts'
import type { Ids } from '../model/ids.ts'

export interface Subscription {
  readonly id: string
  readonly url: string
  /** Only the answer to a registration shows it. */
  secret: string
  state: 'active' | 'disabled'
  failures: number
}

export type SubscriptionView = Readonly<Pick<Subscription, 'id' | 'url' | 'state' | 'failures'>>

export function subscriptionView({ id, url, state, failures }: Subscription): SubscriptionView {
  return { id, url, state, failures }
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

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
    remove: (id: string) => void byId.delete(id),
    byId: (id: string) => byId.get(id),
    list: (): readonly Subscription[] => [...byId.values()],
    // Attempts that were under way do not change a disabled subscription. Only a new registration activates it.
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

/** True for an http or https address without user name and password: every list of subscriptions would show them. */
export function isEndpoint(text: unknown): boolean {
  // A URL parser alone would also accept malformed addresses, because it corrects them.
  const url = typeof text === 'string' && /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === ''
}

/** True if the real service accepts this endpoint. Judges by the form alone, without DNS (DEL-09). */
export function isPublicEndpoint(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.protocol === 'https:' && isPublicHost(url.hostname)
}
