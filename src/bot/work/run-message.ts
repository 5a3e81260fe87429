import * as builtIn from '../../built-in/context-methods.ts'
import type { ContextMembers } from '../../built-in/context-members.ts'
import type { MessageOfAttempt } from '../feature.ts'
import * as methodsOfCustomer from '../../built-in/customer-methods.ts'
import * as values from '../../built-in/context-values.ts'
import type { Content } from '../../service/content.ts'
import { isOption, wiredKey } from '../../service/tap-id.ts'
import { type KeptFacts, optOutIn } from '../inbox/read-delivery.ts'
import { type Window, windowAt } from '../outbox/customers.ts'
import type { Candidate, CompiledRoutes } from '../routes/compile.ts'
import type { Env, Message, MessageContext } from '../routes/context.ts'
import { isGivenBack } from '../../store/work/item-rules.ts'
import { ContextOfCustomer, sessionOfAttempt } from './context.ts'
import { historyOf } from './history.ts'
import { createMiddlewareRunner, makeNext, withinScope, withVars } from './middleware.ts'
import { checkConfirmed, runEffect, type Slots, slotsOf, trackEffect } from './attempt-effects.ts'
import type { OpenSession } from './session.ts'
import { type Send, sendOf } from '../outbox/send.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { OpenRoute, RunningAttempt } from './attempt-types.ts'

/** Routes without a table. Their names are a part of their replies' keys. */
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

/** Finds the send that showed the tapped option, and gives the facts the id that the app passed. */
async function resolveTap(running: RunningAttempt): Promise<void> {
  const { item, facts, deps } = running
  const { tapped } = facts.values
  const key = tapped && wiredKey(tapped.id)
  if (!tapped || key === undefined) return
  const row = await deps.store.findSend({ key })
  const id = row?.options?.ids.find((own) => isOption(tapped.id, own))
  // Ignore a copied id of another customer.
  if (!row || id === undefined || row.number !== item.number || row.customer !== item.customer) return
  running.tap = { row, send: await sendOf(deps.store, row) }
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
  const first = candidates.next()
  if (rests && first.done) return 'rested'
  // A signal was written by nobody, so only the routes of its kind run.
  const isQuiet = rests || isSignal
  const asks = running.item.conversation !== undefined && !isQuiet && !isGivenBack(running.item)
  const open = asks ? await running.deps.entered?.asking(running) : undefined
  const layers = isQuiet ? [] : running.deps.routes.layers
  if (first.done && !open && layers.length === 0) return running.changes ? 'handled' : 'unmatched'
  const contextFor = await messageContexts(messages, running)
  const taken = await runCandidates({ messages, first, candidates, open, layers }, contextFor, running)
  await running.effects.ended()
  const isHandled = (await running.session?.hasChanged()) || taken || running.changes !== undefined
  return isHandled ? 'handled' : 'unmatched'
}

/** If another tap of the message was handled, this tap runs its `onUsed`, or nothing. */
async function isUsedTap(messages: readonly Message[], running: RunningAttempt): Promise<boolean> {
  const { tap, item, deps } = running
  if (tap?.row.options?.once !== true || (await deps.store.useOption(tap.row.id, item.cause))) return false
  const onUsed = deps.onUsed(tap.row.key)
  if (!onUsed) return true
  running.route ??= ON_USED
  await runHandler(ON_USED, messages, running, onUsed)
  return true
}

async function runCandidates(
  given: {
    readonly messages: readonly Message[]
    readonly first: IteratorResult<Candidate>
    readonly candidates: Iterator<Candidate>
    readonly open: OpenRoute | undefined
    /** The layers that run for a message that no route matches. */
    readonly layers: CompiledRoutes['layers']
  },
  contextFor: ContextFor,
  running: RunningAttempt,
): Promise<boolean> {
  const { routes } = running.deps
  const { messages, first, candidates, open, layers } = given
  const runBehind = createMiddlewareRunner(running, routes.layerInfo, contextFor)
  let taken = false
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
      taken = true
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
      if (!(await running.deps.entered?.answer(open as OpenRoute, messages, running))) return run(first)
      taken = true
      running.route ??= compiled.id
    }
    return runBehind(compiled.layers, answer, () => run(first))
  }
  await (open ? runOpen(open) : run(first))
  return taken || !reachedEnd
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

type MethodOfFeature = (of: MessageOfAttempt) => (...given: readonly unknown[]) => Promise<unknown>
type ValueOfFeature = (item: StartedItem, now: number) => unknown

const METHODS_OF_FEATURES = [...Object.values(builtIn), ...Object.values(methodsOfCustomer)].flatMap((methods) =>
  Object.entries(methods as Readonly<Record<string, MethodOfFeature>>),
)
const VALUES_OF_FEATURES = Object.values(values).flatMap((all) =>
  Object.entries(all as Readonly<Record<string, ValueOfFeature>>),
)

/** Makes the context of a route. Each route has its own, because the slots of its replies carry its id. */
type ContextFor = (route: string) => MessageContext<Env>

export async function messageContexts(messages: readonly Message[], running: RunningAttempt): Promise<ContextFor> {
  const now = running.deps.clock.service()
  const session = await sessionOfAttempt(running)
  return (route) =>
    new ContextOfMessage(slotsOf(route, running), messages, { now, session }, running) as ContextOfMessage &
      ContextMembers
}

class ContextOfMessage extends ContextOfCustomer implements Omit<MessageContext<Env>, keyof ContextMembers> {
  static {
    for (const [name, value] of VALUES_OF_FEATURES)
      Object.defineProperty(this.prototype, name, {
        get(this: ContextOfMessage) {
          return value(this.#running.item, this.#now)
        },
        configurable: true,
      })
  }

  readonly #slots: Slots
  /** Service time. */
  readonly #now: number
  readonly #running: RunningAttempt
  readonly message: Message
  readonly messages: readonly Message[]
  readonly late: boolean

  constructor(
    slots: Slots,
    messages: readonly Message[],
    { now, session }: { readonly now: number; readonly session: OpenSession },
    running: RunningAttempt,
  ) {
    super(slots, session, running)
    this.#slots = slots
    this.#now = now
    this.#running = running
    this.message = messages.at(-1) as Message
    this.messages = messages
    this.late = running.item.late
    const own = this as unknown as Record<string, unknown>
    for (const [name, method] of METHODS_OF_FEATURES) own[name] = this.#methodOf(method)
  }

  get name(): string | undefined {
    return this.#running.facts.values.name
  }

  get facts(): Readonly<Record<string, unknown>> {
    return this.#running.facts.own
  }

  get window(): Window {
    return windowAt(this.#running.item.lastInboundAt, this.#now)
  }

  get tap(): { readonly of: Send | undefined } | undefined {
    return this.message.tapped && { of: this.#running.tap?.send }
  }

  readonly history = (o: { last?: number } = {}) => historyOf(this.#who(), o, this.#running.deps)

  readonly enter = (made: object, ...input: readonly unknown[]) =>
    trackEffect(this.#running, async () =>
      this.#running.deps.entered?.enter(made, input[0], (kind) => this.#slots.next(kind), this.#running),
    )

  /** Not in the constructor: a function that is made there would keep the messages in memory. */
  #methodOf(method: MethodOfFeature) {
    return (...given: readonly unknown[]) => {
      const { fence, deps } = this.#running
      return runEffect(this.#running, () => method({ who: this.#who(), fence, deps })(...given))
    }
  }

  #who() {
    return { number: this.#running.item.number, customer: this.customer }
  }
}
