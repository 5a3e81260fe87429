import type { Log } from '../base/log.ts'
import type { Claim, Claimed, Store } from '../stores/port/index.ts'

/**
 * Wraps a store so that it logs, once, that a newer release has migrated the database. From then on the store gives out
 * no work, and still stores deliveries, until whoever deploys stops this process.
 */
export function warnOfNewerSchema(store: Store, log: Log): Store {
  let warned = false
  const watch = <Work>(claim: (claim: Claim) => Promise<Claimed<Work>>) => {
    return async (claiming: Claim): Promise<Claimed<Work>> => {
      const claimed = await claim(claiming)
      if (claimed.newerSchema === undefined || warned) return claimed
      warned = true
      log.error(
        { schema: claimed.newerSchema },
        'a newer release has migrated the database: this process stores deliveries, handles and sends nothing more, and should be stopped',
      )
      return claimed
    }
  }
  return { ...store, claimItems: watch(store.claimItems), claimSends: watch(store.claimSends) }
}
