import { mayClaimSends } from '../../operations/sends/claim-sends.ts'
import { nextLaneAt } from '../../operations/lanes/take-lanes.ts'
import type { Claim, Claimed, DueSend } from '../../port/index.ts'
import { type HotStatement, ODD } from './hot.ts'

/**
 * Answers claims that find no send. A send begins with its recording, and lanes go on by themselves, so that most claims
 * are the looks of a process each second, or of one that was woken for what another has begun meanwhile. A claim that
 * would find one is odd, and is made alone.
 */
export const lookForSends: HotStatement<Claim, Claimed<DueSend>> = {
  name: 'claimSends',
  keysOf: () => [],
  async run(tx, group) {
    const answers: (Claimed<DueSend> | typeof ODD)[] = []
    for (const claim of group) {
      const isIdle = !(await tx.drive(mayClaimSends(claim)))
      answers.push(isIdle ? { held: [], nextAt: await tx.drive(nextLaneAt('send', claim, [])) } : ODD)
    }
    return answers
  },
}
