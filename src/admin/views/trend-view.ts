import type { Trend } from '../../store/reads/overview.ts'
import { Refused } from '../admin-http.ts'
import { iso } from '../../view/delivery-view.ts'
import { remembered } from '../memory.ts'
import type { ViewDeps } from '../query.ts'
import { isSeenWithin, type Scope } from '../scope.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const FARTHEST_ZONE = 14 * 60

/**
 * Counts of the last 24 hours and 7 days. `offset` in the query: the minutes by which the visitor's zone is ahead of
 * UTC. Hours and days begin by that zone.
 */
export async function readTrend(query: URLSearchParams, deps: ViewDeps, scope: Scope) {
  const offset = Number(query.get('offset') ?? 0)
  if (!Number.isInteger(offset) || Math.abs(offset) > FARTHEST_ZONE)
    throw new Refused('invalid', `offset: expected minutes from -${FARTHEST_ZONE} to ${FARTHEST_ZONE}`)
  const now = deps.desk.clock.wall()
  const { messages, countedFrom, waits, ahead } = await remembered(deps, 'trend', MINUTE, async () => {
    const serviceNow = deps.desk.clock.service()
    // All visitors share this reading. Their days begin at different times, so it has one day more than is shown.
    return { ...(await deps.desk.store.trend({ from: now - 8 * DAY, serviceNow })), ahead: serviceNow - now }
  })
  const isSeen = isSeenWithin(scope)
  const seen = {
    messages: messages.filter(isSeen),
    // A wait starts at a service time. Convert it to wall time, so that it can be compared with the times of messages.
    waits: waits.filter(isSeen).map(({ since }) => since - ahead),
  }
  const spans = (length: number, count: number) => {
    const last = Math.floor((now + offset * MINUTE) / length) * length - offset * MINUTE
    return Array.from({ length: count }, (_, nth) => spanFrom(last - (count - 1 - nth) * length, length, seen))
  }
  return { hours: spans(HOUR, 24), days: spans(DAY, 7), countedFrom: iso(countedFrom) }
}

interface Seen {
  readonly messages: Trend['messages']
  readonly waits: readonly number[]
}

function spanFrom(from: number, length: number, { messages, waits }: Seen) {
  const isWithin = (at: number) => at >= from && at < from + length
  const received = messages.filter(({ at }) => isWithin(at))
  const answers = received.flatMap(({ at, answeredAt }) =>
    answeredAt === undefined ? [] : [Math.max(0, answeredAt - at)],
  )
  return {
    from: new Date(from).toISOString(),
    received: received.length,
    answered: answers.length,
    failed: received.filter(({ failed, answeredAt }) => failed === 1 && answeredAt === undefined).length,
    /** How many customers still wait whose wait began in this span. */
    waiting: waits.filter(isWithin).length,
    /** The median time until an answer; undefined if there is no answer. */
    answerMs: answers.toSorted((a, b) => a - b)[Math.floor(answers.length / 2)],
  }
}
