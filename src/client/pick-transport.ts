import { overFetch } from './over-fetch.ts'
import { overHttp } from './over-http.ts'
import type { Transport } from './transport.ts'

/**
 * The transport of an attempt: `node:http`, which takes a quarter of the CPU of Node's `fetch`. If the app gave a `fetch`,
 * or if something stands in the place of Node's own, such as a mock or a proxy, that one is used.
 */
export function transportFor(given: typeof globalThis.fetch | undefined): Transport {
  if (given) return overFetch(given)
  const { fetch } = globalThis as { readonly fetch?: typeof globalThis.fetch }
  return fetch === undefined || (isNodesOwn(fetch) && !isDispatched()) ? overHttp : overFetch(fetch)
}

let known: { readonly fetch: typeof fetch; readonly isNodesOwn: boolean } | undefined

/** Told by its text, in which Node loads its HTTP client: whoever stands in its place may have come before this module. */
function isNodesOwn(fetch: typeof globalThis.fetch): boolean {
  if (known?.fetch !== fetch)
    known = { fetch, isNodesOwn: Function.prototype.toString.call(fetch).includes('lazy loading of undici') }
  return known.isNodesOwn
}

const SLOTS = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

/** Somebody has set a dispatcher that leads the requests of `fetch` elsewhere, to a proxy or to a mock, or in a way of its own. */
function isDispatched(): boolean {
  const [first, second] = SLOTS.map((slot) => (globalThis as Record<symbol, unknown>)[slot])
  // A newer undici shows what it has in the second slot to older ones in the first.
  const isShown = second !== undefined && nameOf(first) === 'Dispatcher1Wrapper'
  return [isShown ? undefined : first, second].some((one) => one !== undefined && !isUsual(one))
}

/** The one that `fetch` makes for itself: an Agent that nobody has given an option, or composed with anything. */
function isUsual(dispatcher: unknown): boolean {
  const { dispatch, constructor } = dispatcher as {
    dispatch: unknown
    constructor: { prototype: { dispatch: unknown } }
  }
  if (nameOf(dispatcher) !== 'Agent' || dispatch !== constructor.prototype.dispatch) return false
  const [options, factory] = [partOf(dispatcher, 'options'), partOf(dispatcher, 'factory')]
  const isPlain = (value: unknown) => value === undefined || value === Infinity
  const hasNone = options !== undefined && Object.values(options as object).every(isPlain)
  return hasNone && (factory as { readonly name?: string } | undefined)?.name === 'defaultFactory'
}

function nameOf(dispatcher: unknown): string | undefined {
  return (dispatcher as object | undefined)?.constructor?.name
}

/** What undici keeps under a symbol of its own. */
function partOf(dispatcher: unknown, description: string): unknown {
  const symbol = Object.getOwnPropertySymbols(dispatcher).find((one) => one.description === description)
  return symbol && (dispatcher as Record<symbol, unknown>)[symbol]
}
