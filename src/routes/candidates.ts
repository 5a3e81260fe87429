import type { Candidate, CompiledRoute, CompiledRoutes } from './compiled.ts'
import type { Message } from './context.ts'
import { foldWithin } from './pattern.ts'
import type { MessageRoute } from './table.ts'
import type { TapOpener } from './tap.ts'

type Find = (message: Message, opener: TapOpener) => Iterator<Candidate>

/** Finds the routes that take a message, or the messages of a burst, in the order of `next()`. */
export function indexRoutes(
  routes: readonly CompiledRoute[],
  lasts: readonly CompiledRoute[],
): CompiledRoutes['candidates'] {
  const find = indexed([...routes, ...lasts])
  const [findRoute, findLast] = [indexed(routes), indexed(lasts)]
  return (messages, opener) => {
    const last = messages.at(-1) as Message
    return messages.length === 1 ? find(last, opener) : ofBurst(messages, opener, findRoute, findLast)
  }
}

/** Each route takes a burst once, for the last message that it takes; its context shows that message. */
function* ofBurst(
  messages: readonly Message[],
  opener: TapOpener,
  findRoute: Find,
  findLast: Find,
): Generator<Candidate> {
  const before = new Set<CompiledRoute>()
  for (const message of messages.toReversed())
    for (const { route, extra } of found(findRoute(message, opener))) {
      if (before.has(route)) continue
      before.add(route)
      yield { route, extra: { ...extra, message } }
    }
  yield* found(findLast(messages.at(-1) as Message, opener))
}

function found(candidates: Iterator<Candidate>): Iterable<Candidate> {
  return { [Symbol.iterator]: () => candidates }
}

/** Whole texts and whole ids are looked up; only the other routes are tried one after another. */
function indexed(routes: readonly CompiledRoute[]): Find {
  const texts = new Map<string, number[]>()
  const taps = new Map<string, number[]>()
  const tried: number[] = []
  routes.forEach(({ exact }, at) => {
    if (!exact) tried.push(at)
    else if ('tap' in exact) put(taps, exact.tap, at)
    else for (const text of exact.texts) put(texts, text, at)
  })
  const longest = Math.max(0, ...[...texts.keys()].map(({ length }) => length))
  const routesHearing = (text: string | undefined) => {
    const folded = text === undefined || texts.size === 0 ? undefined : foldWithin(text, longest)
    return folded === undefined ? undefined : texts.get(folded)
  }
  return (message, opener) => {
    const byText = routesHearing(message.text) ?? NONE
    const byTap = (message.tapped && taps.get(message.tapped.id)) ?? NONE
    const places = inOrder(byText, byTap, tried)
    let place = 0
    return {
      next() {
        while (place < places.length) {
          const route = routes[places[place++] as number] as CompiledRoute
          const extra = route.exact ? extraOf(route.exact) : route.match(message, opener)
          if (extra) return { done: false, value: { route, extra } }
        }
        return { done: true, value: undefined }
      },
    }
  }
}

const NONE: readonly number[] = []

function extraOf(exact: NonNullable<MessageRoute['exact']>): object {
  return 'tap' in exact ? { params: {} } : {}
}

function put(index: Map<string, number[]>, key: string, at: number): void {
  const places = index.get(key)
  if (places) places.push(at)
  else index.set(key, [at])
}

/** Each list is sorted already, and most messages find nothing in the first two. */
function inOrder(byText: readonly number[], byTap: readonly number[], tried: readonly number[]): readonly number[] {
  if (byText.length + byTap.length === 0) return tried
  return [...byText, ...byTap, ...tried].sort((one, two) => one - two)
}
