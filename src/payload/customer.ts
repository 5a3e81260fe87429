import { alarm, type Evidence, noteUnreadable, reading } from './evidence.ts'
import type { Facts } from './facts.ts'
import { type Hit, hitsOf, isLastResort } from './gather.ts'
import { idOf, phoneOf, userIdOf, wordOf } from './values.ts'

type Who = Pick<Facts, 'customer' | 'userId'>

/**
 * The person on the other side. A wrong one gets somebody else's message, so a number is sure only at a place of
 * the first choice, where no other candidate disagrees; our own number is never a customer, and once a candidate
 * is a hidden id, a number elsewhere may be anyone's.
 */
export function readCustomer(evidence: Evidence): Who {
  const ours = ourNumbers(evidence)
  let agreed = !isOutbound(evidence)
  let hidden: Hit | undefined
  let refused: Hit | undefined
  let found: { digits: string; hit: Hit } | undefined
  for (const hit of hitsOf(evidence.hits, 'customer')) {
    if (found && isLastResort(hit)) break
    if (hidden && hit.candidate.choice !== 'first') continue
    const digits = phoneOf(hit.value)
    if (digits === undefined) {
      if (userIdOf(hit.value) !== undefined) hidden ??= hit
      else noteUnreadable(evidence, 'customer', hit)
    } else if (ours.includes(digits)) refused ??= hit
    else if (found === undefined) found = { digits, hit }
    else if (digits !== found.digits) agreed = conflict(evidence, hit)
  }
  // A place of the last resort that holds our number is no contradiction: that it may is why it is the last.
  if (refused && (!found || refused.candidate.choice === 'first')) agreed = conflict(evidence, refused)
  if (found && hidden) agreed = conflict(evidence, hidden)
  const sure = agreed && found?.hit.candidate.choice === 'first'
  return { ...(found && { customer: reading(found.digits, found.hit.path, sure) }), ...readUserId(evidence, hidden) }
}

function readUserId(evidence: Evidence, hidden: Hit | undefined): Pick<Who, 'userId'> {
  for (const hit of hidden ? [hidden] : hitsOf(evidence.hits, 'userId')) {
    const id = userIdOf(hit.value)
    if (id !== undefined) return { userId: reading(id, hit.path, true) }
  }
  return {}
}

/** Everything by which our own number is known: its id, as configured and as the payload says, and its digits. */
export function ourNumbers(evidence: Evidence): readonly string[] {
  const ours: string[] = []
  if (evidence.context.ownNumberId !== undefined) ours.push(evidence.context.ownNumberId)
  for (const hit of hitsOf(evidence.hits, 'ours')) {
    const digits = phoneOf(hit.value)
    if (digits !== undefined) ours.push(digits)
  }
  for (const hit of hitsOf(evidence.hits, 'numberId')) {
    const id = idOf(hit.value)
    if (id !== undefined) ours.push(id)
  }
  return ours
}

// What we sent ourselves names us as its sender.
function isOutbound(evidence: Evidence): boolean {
  const direction = hitsOf(evidence.hits, 'direction')[0]
  if (!direction || !wordOf(direction.value)?.startsWith('out')) return false
  alarm(evidence, 'fact_conflict', 'customer', direction.path)
  return true
}

function conflict(evidence: Evidence, hit: Hit): false {
  alarm(evidence, 'fact_conflict', 'customer', hit.path)
  return false
}
