import { overFetch } from './over-fetch.ts'
import { overHttp } from './over-http.ts'
import type { Transport } from './transport.ts'

/**
 * The transport of an attempt: `node:http`, which takes a quarter of the CPU of Node's `fetch`. If the app gave a `fetch`,
 * or if something stands in the place of Node's own, such as a mock or a proxy, that one is used.
 */
export function transportFor(given: typeof fetch | undefined): Transport {
  if (given) return overFetch(given)
  return isNodesOwn(globalThis.fetch) && !isDispatched() ? overHttp : overFetch(globalThis.fetch)
}

let known: { readonly fetch: typeof fetch; readonly isNodesOwn: boolean } | undefined

/** Told by its text, in which Node loads its HTTP client: whoever stands in its place may have come before this module. */
function isNodesOwn(fetch: typeof globalThis.fetch): boolean {
  if (known?.fetch !== fetch)
    known = { fetch, isNodesOwn: Function.prototype.toString.call(fetch).includes('lazy loading of undici') }
  return known.isNodesOwn
}

const DISPATCHERS = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

/** Somebody has set a dispatcher that leads the requests of `fetch` elsewhere, to a proxy or to a mock. */
function isDispatched(): boolean {
  return DISPATCHERS.some((symbol) => {
    const dispatcher = (globalThis as Record<symbol, unknown>)[symbol]
    return dispatcher !== undefined && (dispatcher as object).constructor.name !== 'Agent'
  })
}
