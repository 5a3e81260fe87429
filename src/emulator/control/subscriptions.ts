import { z } from 'zod'
import { isEndpoint, isPublicEndpoint, type Subscription } from '../deliver/subscriptions.ts'
import { refuse } from '../http/messages.ts'
import type { State } from '../world.ts'
import { invalid } from './request.ts'

/** A subscription as the dashboard lists it, without its secret. */
export type SubscriptionView = Readonly<Pick<Subscription, 'id' | 'url' | 'state' | 'failures'>>

export const registrationSchema = z.strictObject({
  url: z.string().refine(isEndpoint, 'must be an http or https address without credentials'),
  secret: z.string().trim().min(1).optional(),
})

export const nameSchema = z.strictObject({ id: z.string().optional(), url: z.string().optional() })

export function listSubscriptions(state: State): { items: readonly SubscriptionView[] } {
  return { items: state.subscriptions.list().map(subscriptionView) }
}

type Registered = SubscriptionView & { readonly secret: string }

/** Registers an address, or reactivates it under a new secret; only this answer shows the secret. */
export function register(state: State, { url, secret }: z.output<typeof registrationSchema>): Registered {
  if (state.account.numbers.some((number) => number.callbackOverride))
    throw refuse(409, 'callback_override', 'Under the callback override no subscription can be registered.')
  if (state.assumptions.localEndpoints === 'refuse' && !isPublicEndpoint(url))
    throw invalid('url: must be public https; http, loopback, link-local and private addresses are refused.')
  const subscription = state.subscriptions.register(url, secret)
  return { ...subscriptionView(subscription), secret: subscription.secret }
}

/** Removes a subscription, named by its `id` or its `url`. */
export function unsubscribe(state: State, named: z.output<typeof nameSchema>): SubscriptionView {
  if (named.id === undefined && named.url === undefined) throw invalid('A subscription is named by its id or its url.')
  const found = named.id === undefined ? state.subscriptions.byUrl(named.url ?? '') : state.subscriptions.byId(named.id)
  if (found === undefined) throw refuse(404, 'not_found', 'There is no such subscription.')
  state.subscriptions.remove(found.id)
  return subscriptionView(found)
}

function subscriptionView({ id, url, state, failures }: Subscription): SubscriptionView {
  return { id, url, state, failures }
}
