import type { KeptFacts } from '../ingest/kept-facts.ts'
import type { Candidate, Message } from '../routes/index.ts'
import { answerConversation } from './conversation.ts'
import { type ContextFor, messageContexts } from './message-context.ts'
import { createMiddlewareRunner, nextOf, withinBoundary, withVars } from './middleware.ts'
import { openQuestion } from './run-conversation.ts'
import type { AttemptDeps, HeldConversation, RunningAttempt } from './types.ts'

/**
 * Runs the script of an open question, or the first route that takes the message, or one of the messages of a burst,
 * behind its middleware; `next()` runs the route after it. False if nobody took the message, and no middleware kept it
 * to itself or changed the session.
 */
export async function runMessage(running: RunningAttempt, deps: AttemptDeps): Promise<boolean> {
  const messages = messagesOf(running)
  const candidates = deps.routes.candidates(messages, deps.openerFor(running.item))
  const first = candidates.next()
  const held = running.item.conversation && (await openQuestion(running, deps))
  if (first.done && !held && deps.routes.layers.length === 0) return running.conversations !== undefined
  const contextFor = await messageContexts(messages, running, deps)
  const taken = await runCandidates({ messages, first, candidates, held }, contextFor, running, deps)
  await running.effects.ended()
  return (await running.session?.hasChanged()) || taken || running.conversations !== undefined
}

async function runCandidates(
  given: {
    readonly messages: readonly Message[]
    readonly first: IteratorResult<Candidate>
    readonly candidates: Iterator<Candidate>
    readonly held: HeldConversation | undefined
  },
  contextFor: ContextFor,
  running: RunningAttempt,
  deps: AttemptDeps,
): Promise<boolean> {
  const { routes } = deps
  const { messages, first, candidates, held } = given
  const runBehind = createMiddlewareRunner(running, routes.layerInfo, contextFor)
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
    const next = nextOf(running, () => run(candidates.next()))
    const enter = async (vars: object) => {
      taken = true
      running.route ??= route.id
      const handler = route.handler as (ctx: object, next: () => Promise<void>) => unknown
      const context = withVars(contextFor(route.id), { ...extra, ...vars })
      await withinBoundary(running, route, () => handler(context, next))
    }
    return runBehind(route.layers, enter, next)
  }
  const runScript = async (open: HeldConversation): Promise<void> => {
    const answer = async () => {
      if (!(await answerConversation(open, messages, running, deps))) return run(first)
      taken = true
      running.route ??= open.compiled.id
    }
    return runBehind(open.compiled.layers, answer, () => run(first))
  }
  await (held ? runScript(held) : run(first))
  return taken || !reachedEnd
}

/** The messages of an item, by payload time: one, or those of a burst. */
export function messagesOf({ facts, item }: RunningAttempt): readonly Message[] {
  const own = messageOf(facts, item.at)
  if (item.earlier.length === 0) return [own]
  return [...item.earlier.map((one) => messageOf(JSON.parse(one.facts) as KeptFacts, one.at)), own]
}

function messageOf({ values }: KeptFacts, at: number): Message {
  const { messageId, kind, text, tapped, media } = values
  return { id: messageId, kind: kind ?? 'unknown', at: new Date(at), text, tapped, media: media && { ...media } }
}
