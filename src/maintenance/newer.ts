import type { Log } from '../base/log.ts'
import type { Claim, Claimed, Store } from '../stores/port/index.ts'

/**
 * The same store, which says once where a newer release has taken it over: then nothing is claimed here any more,
 * while deliveries are stored as before, until whoever deploys stops this process.
 */
export function tellingOfNewer(store: Store, log: Log): Store {
  let told = false
  const telling = <Work>(claiming: (claim: Claim) => Promise<Claimed<Work>>) => {
    return async (claim: Claim): Promise<Claimed<Work>> => {
      const claimed = await claiming(claim)
      if (claimed.newerSchema === undefined || told) return claimed
      told = true
      log.error(
        { schema: claimed.newerSchema },
        'a newer release has migrated the database: this process stores deliveries, handles and sends nothing more, and should be stopped',
      )
      return claimed
    }
  }
  return { ...store, claimItems: telling(store.claimItems), claimSends: telling(store.claimSends) }
}
