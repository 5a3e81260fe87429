import { toMs } from '../base/duration.ts'
import { SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { KeptFacts } from '../ingest/read-item.ts'
import { agentOf, checkedReply, windowAt } from '../outbox/index.ts'
import type { Base, Candidate, Env, Message, MessageContext } from '../routes/index.ts'
import type { TakeoverState } from '../stores/port/index.ts'
import { baseContext, logOf, recordFromHandler, runEffect, slotsOf } from './context.ts'
import { createMiddlewareRunner, nextOf, withinBoundary } from './middleware.ts'
import { openSession } from './session.ts'
import type { AttemptDeps, RunningAttempt } from './types.ts'

/**
 * Runs the first route that takes the message, behind its middleware; `next()` runs the route after it. False if no
 * route took the message, and no middleware kept it to itself or changed the session.
 */
export async function runMessage(running: RunningAttempt, deps: AttemptDeps): Promise<boolean> {
  const candidates = deps.routes.candidates(messageOf(running), deps.openerFor(running.item))
  const first = candidates.next()
  if (first.done && deps.routes.layers.length === 0) return false
  const contextFor = await messageContext(running, deps)
  const taken = await runCandidates(first, candidates, contextFor, running, deps)
  await running.effects.ended()
  return (await running.session?.hasChanged()) || taken
}

async function runCandidates(
  first: IteratorResult<Candidate>,
  candidates: Iterator<Candidate>,
  contextFor: ContextFor,
  running: RunningAttempt,
  { routes }: AttemptDeps,
): Promise<boolean> {
  const runBehind = createMiddlewareRunner(running, routes.layerInfo, (id) => contextFor(id))
  let taken = false
  let reachedEnd = false

  const run = async (found: IteratorResult<Candidate>): Promise<void> => {
    running.clock.check()
    // The middleware of the bot itself also runs for a message that no route takes.
    if (found.done)
      return runBehind(
        routes.layers,
        async () => void (reachedEnd = true),
        async () => {},
      )
    const { route, extra } = found.value
    const next = nextOf(running, async () => run(candidates.next()))
    const enter = async (vars: object) => {
      taken = true
      const handler = route.handler as (ctx: object, next: () => Promise<void>) => unknown
      await withinBoundary(running, route.boundaries, () =>
        handler(Object.assign(contextFor(route.id, extra), vars), next),
      )
    }
    return runBehind(route.layers, enter, next)
  }
  await run(first)
  return taken || !reachedEnd
}

/** Each route has a context of its own, since the slots of its replies carry its id. */
export type ContextFor = (route: string, extra?: object) => MessageContext<Env>

export async function messageContext(running: RunningAttempt, deps: AttemptDeps): Promise<ContextFor> {
  const { item, facts, fence } = running
  const { number, customer = '' } = item
  const now = deps.clock.service()
  const message = messageOf(running)
  const window = windowAt(item.lastInboundAt, now)
  const state: TakeoverState = await deps.store.takeoverOf(number, customer, now)
  running.session ??= await openSession(deps.session, { number, customer }, deps)
  const { session } = running
  const staleAt = deps.staleAfterMs === undefined ? undefined : item.at + deps.staleAfterMs
  return (route, extra = {}) => {
    const slots = slotsOf(route, deps, running)
    let ownLog: Log | undefined
    return {
      ...baseContext(running, deps, slots),
      ...extra,
      get log() {
        return ownLog ?? logOf(running, deps)
      },
      // The types refuse a log that `with` adds; an app without types may add one.
      set log(log) {
        ownLog = log
      },
      get session() {
        return session.value
      },
      set session(value) {
        session.value = value
      },
      customer,
      message,
      messages: [message],
      window,
      late: item.late,
      agent: agentOf(state, now, deps.takeoverMs),
      handOver: ({ for: span }) =>
        runEffect(running, deps, async () =>
          deps.takeover.handOver({ number, customer }, toMs(span, 'handOver.for'), fence),
        ),
      resume: () => runEffect(running, deps, () => deps.takeover.resume({ number, customer }, fence)),
      reply: (content, given = {}) =>
        runEffect(running, deps, async () => {
          const options = checkedReply(given)
          const slot = slots.next('reply', options.slot)
          if (!isConfirmed(facts, deps)) throw notConfirmed()
          return await recordFromHandler(running, deps, { to: customer, content, slot, options, reply: { staleAt } })
        }),
    }
  }
}

function messageOf({ facts, item }: RunningAttempt): Message {
  const { messageId, kind, text, tapped, media } = facts.values
  return { id: messageId, kind: kind ?? 'unknown', at: new Date(item.at), text, tapped, media: media && { ...media } }
}

/** The context of `onError`: without message and reply, since that handler observes. */
export function errorContext(handler: string, running: RunningAttempt, deps: AttemptDeps): Base<Env> {
  return {
    ...baseContext(running, deps, slotsOf(handler, deps, running)),
    get log() {
      return logOf(running, deps)
    },
  }
}

function isConfirmed({ sure, mapped }: KeptFacts, deps: AttemptDeps): boolean {
  return (deps.answersGuessed ? sure : mapped).includes('customer')
}

function notConfirmed(): SwitchhookError {
  return new SwitchhookError(
    'recipient_not_confirmed',
    'the payload does not say for certain who wrote, so nothing is sent: the delivery is parked, which is kept and not answered',
  )
}
