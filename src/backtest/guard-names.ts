import type { SocketOptions } from 'node:dgram'
import dns, { promises } from 'node:dns'
import { isIP } from 'node:net'

/** The hosts that may be called, and the error for any other. */
export interface Hosts {
  /** Allowed by its name, wherever that leads. */
  isNamed(host: string): boolean
  /** This machine, or allowed by its name. */
  isAllowed(host: string): boolean
  refusal(host: string): Error
}

/**
 * Fails questions for names and addresses of other machines: a server of names is another machine, and what it is asked
 * leaves this one. Drivers that ask before they connect are refused here, all others when they connect.
 */
export function guardNames(hosts: Hosts): void {
  for (const asked of [dns, promises, dns.Resolver.prototype, promises.Resolver.prototype])
    for (const name of Object.keys(asked).filter((key) => /^(?:lookup|resolve|reverse)/.test(key))) {
      const ask = Reflect.get(asked, name) as (...given: unknown[]) => unknown
      const guarded = function (this: unknown, ...given: unknown[]) {
        const [host] = given
        // Nobody is asked about an address.
        const isKnown = typeof host !== 'string' || (name === 'lookup' && isIP(host) !== 0)
        if (isKnown || hosts.isAllowed(host)) return Reflect.apply(ask, this, given)
        return answerWith(hosts.refusal(host), given)
      }
      // Node keeps the names of what the promise of such a function gives among its properties.
      Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(ask))
      Reflect.set(asked, name, guarded)
    }
}

type Lookup = NonNullable<SocketOptions['lookup']>

/** A `lookup` of the app's own, which may answer `localhost` with any address. */
export function guardLookup(lookup: Lookup, { isNamed, isAllowed, refusal }: Hosts): Lookup {
  return (host, o, done) =>
    lookup(host, o, (error, address, family) => {
      const isRefused = !error && !isNamed(host) && !isAllowed(address)
      done(isRefused ? refusal(address) : error, address, family)
    })
}

function answerWith(error: Error, given: readonly unknown[]): Promise<never> | undefined {
  const done = given.at(-1)
  if (typeof done !== 'function') return Promise.reject(error)
  process.nextTick(() => done(error))
  return undefined
}
