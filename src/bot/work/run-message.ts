import type { Content } from '../../service/content.ts'
import { isOption, wiredKey } from '../../service/tap-id.ts'
import { type KeptFacts, optOutIn } from '../inbox/read-delivery.ts'
import type { Candidate, CompiledRoutes, LayerInfo } from '../routes/compile.ts'
import type { Env, Message, MessageContext } from '../routes/context.ts'
import { isGivenBack } from '../../store/work/item-rules.ts'
import { withinScope, type OpenRoute, type RunningAttempt } from './running-attempt.ts'
import { withVars, type ContextFor, messageContexts } from './handler-context.ts'
import { checkConfirmed, runEffect } from './attempt-effects.ts'
import { asSend } from '../outbox/send.ts'
import type { Next } from '../routes/routes.ts'
import type { Layer } from '../routes/table.ts'

/** The ids of handlers that are in no route table. They are a part of their replies' keys. */
const OPT_OUTS = 'optOuts'
const ON_USED = 'onUsed'

/** How a message was handled. `unmatched`: no route matched it, and no middleware stopped it or changed the session. */
export type MessageRun = 'handled' | 'unmatched' | 'rested'

/**
 * Runs the script of an open question; otherwise the first route that matches the message, or a message of a bundle,
 * behind its middleware. In a silence, only the routes for that time run.
 */
export async function runMessage(running: RunningAttempt): Promise<MessageRun> {
  await resolveTap(running)
  const all = messagesOf(running)
  if (running.item.kind === 'signal') return runRoutes(all, running)
  const messages = await confirmOptOut(all, running)
  const ran = messages.length === 0 ? 'handled' : await runRoutes(messages, running)
  await running.session?.hasChanged()
  return ran === 'unmatched' && messages.length < all.length ? 'handled' : ran
}

/** Returns the messages of an item by payload time: one message, or all messages of a bundle. */
export function messagesOf({ facts, item }: RunningAttempt): readonly Message[] {
  const own = messageOf(facts, item.at)
  if (item.earlier.length === 0) return [own]
  return [...item.earlier.map((one) => messageOf(JSON.parse(one.facts) as KeptFacts, one.at)), own]
}

function messageOf({ values }: KeptFacts, at: number): Message {
  const { messageId: id, kind = 'unknown', text, tapped, media, location, reaction } = values
  return {
    id,
    kind,
    at: new Date(at),
    text,
    tapped,
    media: media && { ...media },
    location: location && { ...location, name: location.name, address: location.address },
    reaction: reaction && { emoji: reaction.emoji ?? '', to: reaction.to },
  }
}

/** Finds the send that showed the tapped option. Restores the id in the facts to the one that the app passed. */
async function resolveTap(running: RunningAttempt): Promise<void> {
  const { item, facts, deps } = running
  const { tapped } = facts.values
  const key = tapped && wiredKey(tapped.id)
  if (!tapped || key === undefined) return
  const row = await deps.store.findSend({ key })
  const id = row?.options?.ids.find((own) => isOption(tapped.id, own))
  // Ignore an id that was copied from another customer's message.
  if (!row || id === undefined || row.number !== item.number || row.customer !== item.customer) return
  running.tap = { row, send: asSend(await deps.store.withStatuses(row)) }
  running.facts = { ...facts, values: { ...facts.values, tapped: { ...tapped, id } } }
}

/** Confirms an opt-out or opt-in, which counts since its message was read. Returns the other messages of a bundle. */
async function confirmOptOut(messages: readonly Message[], running: RunningAttempt): Promise<readonly Message[]> {
  const { optOuts } = running.deps.routes
  const saying = optOuts ? messages.filter((message) => optOuts.says(message) !== undefined) : []
  const last = saying.at(-1)
  if (!optOuts || !last || (last.tapped && (await answersQuestion(last, running)))) return messages
  const { item, deps, facts, fence } = running
  const { number, customer } = item
  checkConfirmed(running)
  if (customer === undefined) return messages
  running.route ??= OPT_OUTS
  const { tapped, at } = last
  const receivedAt = item.delivery.receivedAt + item.delivery.clockOffset
  const values = { at: at.getTime(), ...(tapped && { tapped }) }
  const said = optOutIn({ ...facts, values }, receivedAt, { says: () => optOuts.says(last), anyNumber: true })
  if (said && (await runEffect(running, () => deps.customers.heardOptOut({ number, customer }, said, fence)))) {
    const told = optOuts.told[said.says]
    await runHandler(OPT_OUTS, messages, running, async (context) => {
      const content = typeof told === 'function' ? ((await told(context)) as Content) : (told as Content)
      await context.reply(content)
    })
  }
  return messages.filter((message) => !saying.includes(message))
}

/** Runs a handler that is no route of a table. */
async function runHandler(
  id: string,
  messages: readonly Message[],
  running: RunningAttempt,
  handler: (context: MessageContext<Env>) => unknown,
): Promise<void> {
  const context = (await messageContexts(messages, running))(id)
  await withinScope(running, { id, boundaries: running.deps.routes.boundaries }, async () => handler(context))
  await running.effects.ended()
}

async function answersQuestion(message: Message, running: RunningAttempt): Promise<boolean> {
  const { entered } = running.deps
  const open = await entered?.asking(running)
  return open !== undefined && (await entered?.isAnswer(open, message, running)) === true
}

async function runRoutes(messages: readonly Message[], running: RunningAttempt): Promise<MessageRun> {
  const which = (running.item.silence && running.deps.silencing?.routesFor(messages, running)) ?? 'ordinary'
  const rests = which === 'silent'
  if (!rests && (await isUsedTap(messages, running))) return 'handled'
  const isSignal = running.item.kind === 'signal'
  const taps = running.deps.tapVerifierOf(running.item)
  const candidates = running.deps.routes.candidates(messages, taps, which, { isSignal })
  const firstMatch = candidates.next()
  if (rests && firstMatch.done) return 'rested'
  // A signal was written by nobody, so only the routes of its kind run.
  const isQuiet = rests || isSignal
  const asks = running.item.conversation !== undefined && !isQuiet && !isGivenBack(running.item)
  const open = asks ? await running.deps.entered?.asking(running) : undefined
  const layers = isQuiet ? [] : running.deps.routes.layers
  if (firstMatch.done && !open && layers.length === 0) return running.changes ? 'handled' : 'unmatched'
  const contextFor = await messageContexts(messages, running)
  const ran = await runCandidates({ messages, firstMatch, candidates, open, layers }, contextFor, running)
  await running.effects.ended()
  const isHandled = (await running.session?.hasChanged()) || ran || running.changes !== undefined
  return isHandled ? 'handled' : 'unmatched'
}

/** If another tap on the same buttons was handled before, runs their `onUsed`, or nothing, and returns true. */
async function isUsedTap(messages: readonly Message[], running: RunningAttempt): Promise<boolean> {
  const { tap, item, deps } = running
  if (tap?.row.options?.once !== true || (await deps.store.useOption(tap.row.id, item.cause))) return false
  const onUsed = deps.outbox.onUsed.get(tap.row.key)
  if (!onUsed) return true
  running.route ??= ON_USED
  await runHandler(ON_USED, messages, running, onUsed)
  return true
}

async function runCandidates(
  given: {
    readonly messages: readonly Message[]
    readonly firstMatch: IteratorResult<Candidate>
    readonly candidates: Iterator<Candidate>
    readonly open: OpenRoute | undefined
    /** The layers that run for a message that no route matches. */
    readonly layers: CompiledRoutes['layers']
  },
  contextFor: ContextFor,
  running: RunningAttempt,
): Promise<boolean> {
  const { routes } = running.deps
  const { messages, firstMatch, candidates, open, layers } = given
  const runBehind = createMiddlewareRunner(running, routes.layerInfo, contextFor)
  let isHandled = false
  let reachedEnd = false

  const run = async (found: IteratorResult<Candidate>): Promise<void> => {
    running.clock.check()
    // The bot's own middleware also runs for a message that no route matches.
    if (found.done)
      return runBehind(
        layers,
        async () => void (reachedEnd = true),
        async () => {},
      )
    const { route, extra } = found.value
    const next = makeNext(running, () => run(candidates.next()))
    const enter = async (vars: object) => {
      isHandled = true
      running.route ??= route.id
      if (running.ofPerson && route.inSilence) running.ofPerson = 'answered'
      const handler = route.handler as (ctx: object, next: () => Promise<void>) => unknown
      const context = withVars(contextFor(route.id), { ...extra, ...vars })
      await withinScope(running, route, () => handler(context, next))
    }
    return runBehind(route.layers, enter, next)
  }
  const runOpen = async ({ compiled }: OpenRoute): Promise<void> => {
    const answer = async () => {
      if (!(await running.deps.entered?.answer(open as OpenRoute, messages, running))) return run(firstMatch)
      isHandled = true
      running.route ??= compiled.id
    }
    return runBehind(compiled.layers, answer, () => run(firstMatch))
  }
  await (open ? runOpen(open) : run(firstMatch))
  return isHandled || !reachedEnd
}

// ── middleware ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Makes a function that runs the layers in front of a route, outermost first. Each runs once for a message, however
 * many routes are behind it. Then `run(vars)` calls the handler with what `with` has added, or `skip()` the next route
 * if a condition is false.
 *
 * @param contextOf makes the context of a layer, by the id that names the layer's replies.
 */
export function createMiddlewareRunner(
  running: RunningAttempt,
  layerInfo: (layer: Layer) => LayerInfo,
  contextOf: (id: string) => object,
) {
  const entered = new Set<Layer>()
  const results = new Map<Layer, Promise<unknown>>()

  return async (layers: readonly Layer[], run: (vars: object) => Promise<void>, skip: () => Promise<void>) => {
    const step = async (at: number, vars: object): Promise<void> => {
      const layer = layers[at]
      if (!layer) return run(vars)
      const goOn = (more: object = {}) => step(at + 1, { ...vars, ...more })
      const call = (next?: Next) => {
        const info = layerInfo(layer)
        const middleware = layer.run as (ctx: object, next?: Next) => unknown
        return withinScope(running, info, () => middleware(withVars(contextOf(info.id), vars), next))
      }
      if (layer.kind === 'use') {
        if (entered.has(layer)) return goOn()
        entered.add(layer)
        return void (await call(makeNext(running, goOn)))
      }
      const result = results.get(layer) ?? call()
      results.set(layer, result)
      if (layer.kind === 'with') return goOn((await result) as object)
      return (await result) === true ? goOn() : skip()
    }
    return step(0, {})
  }
}

/** Makes `next`. It runs the later layers and the handler, once for all its calls. The attempt waits in any case. */
function makeNext({ effects }: Pick<RunningAttempt, 'effects'>, goOn: () => Promise<void>): Next {
  let gone: Promise<void> | undefined
  return () => (gone ??= effects.begin(goOn))
}
