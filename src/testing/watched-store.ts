import type { Store } from '../stores/port/index.ts'
import type { Activity } from './activity.ts'
import type { InHand } from './in-hand.ts'

/** Never settles: what a dead process is told. */
const NEVER = new Promise<never>(() => {})

/**
 * The store as one life of the bot sees it: all that it does is counted, and once that life has ended nothing of it
 * reaches the database any more.
 */
export function watchStore(store: Store, o: { activity: Activity; inHand: InHand; alive: () => boolean }): Store {
  const { activity, inHand, alive } = o

  const counted = new Proxy(store, {
    get(target, name: keyof Store) {
      const member: unknown = target[name]
      if (typeof member !== 'function' || name === 'onWork') return member
      return (...given: unknown[]) => {
        if (!alive()) return NEVER
        const answer = activity.during(member.apply(target, given) as Promise<unknown>)
        return answer.then(
          (value) => (alive() ? value : NEVER),
          (error: unknown) => (alive() ? Promise.reject(error) : NEVER),
        )
      }
    },
  })

  return {
    ...counted,
    onWork: (listener) => store.onWork((work) => void (alive() && listener(work))),
    claimItems: (claim) => noting(counted.claimItems(claim), inHand.claimedItems),
    settleItem: (fence, id, settlement, then) =>
      noting(counted.settleItem(fence, id, settlement, then), ({ next }) =>
        inHand.settledItem(fence, { id, settlement, at: then.now, next }),
      ),
    claimSends: (claim) => noting(counted.claimSends(claim), inHand.claimedSends),
    async beginSend(fence, ...rest) {
      const begun = await counted.beginSend(fence, ...rest)
      if (begun === 'lost') inHand.endedSend(fence)
      return begun
    },
    async settleSend(fence, send, settlement, ...rest) {
      const settled = await counted.settleSend(fence, send, settlement, ...rest)
      inHand.settledSend(send, settlement)
      if (settled.next === undefined) inHand.endedSend(fence)
      return settled
    },
    openSend: (send, fence) =>
      noting(counted.openSend(send, fence), (opened) => opened && inHand.openedSend(opened.send, fence)),
    openCode: (...given) => noting(counted.openCode(...given), ({ found }) => found === 'new' && inHand.codes(1)),
    settleCode: (...given) => noting(counted.settleCode(...given), () => inHand.codes(-1)),
  }
}

async function noting<T>(asked: Promise<T>, note: (answer: T) => unknown): Promise<T> {
  const answer = await asked
  note(answer)
  return answer
}
