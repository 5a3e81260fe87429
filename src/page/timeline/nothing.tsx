import { loaded } from '../state/follow.ts'
import { openPart, query as searched } from '../state/view.ts'
import { subscriptions } from '../state/world.ts'

/** Why the list is empty, and the next step. */
export function Nothing({ query }: { query: string }) {
  if (!loaded.value) return <p class="empty">Reading what happened…</p>
  if (query !== '')
    return (
      <div class="empty">
        <p>
          No rows match <q>{query}</q>
        </p>
        <button type="button" onClick={() => (searched.value = '')}>
          Clear the search
        </button>
      </div>
    )
  if (subscriptions.value.length === 0)
    return (
      <div class="empty">
        <p>
          Nothing happened yet, and no endpoint is registered: events would go nowhere. Start your app with{' '}
          <code>npx switchhook dev</code>, or register its address.
        </p>
        <button type="button" onClick={() => openPart('endpoint')}>
          Register an endpoint
        </button>
      </div>
    )
  return (
    <p class="empty">
      Nothing happened yet. Write as the customer: the signed delivery to your app stands here first, then its call.
    </p>
  )
}
