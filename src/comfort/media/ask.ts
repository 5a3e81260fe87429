import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { refused } from './errors.ts'

/** The net as a download sees it; a test has its own. */
export interface Net {
  /** All addresses of a host. */
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  /** Whether an address may be connected to. */
  allows(address: string): boolean
  /** Whom to trust instead of the authorities that Node knows. */
  readonly ca?: string
}

/**
 * Asks for an address and answers with the head of what comes. A connection goes to the very address that was checked:
 * a name that says something else when it is asked again leads nowhere. A connection of its own each time, since one
 * that the app keeps open to the same name was not checked.
 */
export function ask(
  url: URL,
  o: { net: Net; signal: AbortSignal; headers: Record<string, string> },
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:') throw refused(`only https is fetched, not ${url.protocol}//`)
  if (url.username !== '' || url.password !== '') throw refused('an address with credentials in it is not fetched')
  if (isIP(host) !== 0 && !o.net.allows(host)) throw notPublic(host)
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      agent: false,
      lookup: checking(o.net),
      signal: o.signal,
      headers: { 'accept-encoding': 'identity', ...o.headers },
      ...(o.net.ca !== undefined && { ca: o.net.ca }),
    })
    asking.once('response', resolve)
    // An answer as well, after which nothing else would come: neither an error nor the end of the time that it has.
    asking.once('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer)
    })
    asking.on('error', reject)
    asking.end()
  })
}

/** One address that is not public is enough: who answers with both kinds wants to be let in. */
function checking({ resolve, allows }: Net): LookupFunction {
  return (host, options, answer) => {
    resolve(host).then(
      (found) => {
        const [first] = found
        if (!first || !found.every(({ address }) => allows(address))) return answer(notPublic(host), '', 0)
        if (options.all) return answer(null, [...found])
        return answer(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => answer(error, '', 0),
    )
  }
}

function notPublic(host: string): Error {
  return refused(`${host} is no host of the open internet, so nothing is fetched from there`)
}
