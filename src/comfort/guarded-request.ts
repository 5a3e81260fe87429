import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { SwitchhookError } from '../base/errors.ts'

/** The network as a download sees it; a test has its own. */
export interface Network {
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  allows(address: string): boolean
  /** The authority to trust instead of those that Node knows. */
  readonly ca?: string
}

/**
 * Sends a request and resolves with the head of the answer. The connection goes to the very address that was checked:
 * if the name resolves to another address the next time, that changes nothing. Each request has a connection of its
 * own, since the address of one that the app keeps open to the same name was not checked.
 */
export function guardedRequest(
  url: URL,
  o: { network: Network; signal: AbortSignal; headers: Record<string, string> },
): Promise<IncomingMessage> {
  checkAddress(url, o.network)
  return send(request, url, { ...o, lookup: checkedLookup(o.network) })
}

/** Sends a request to an emulator on this machine, over http too. */
export function localRequest(url: URL, o: { signal: AbortSignal }): Promise<IncomingMessage> {
  return send(url.protocol === 'http:' ? httpRequest : request, url, { ...o, headers: {} })
}

function checkAddress(url: URL, network: Network): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:') throw mediaRefused(`only https is fetched, not ${url.protocol}//`)
  if (url.username !== '' || url.password !== '') throw mediaRefused('an address with credentials in it is not fetched')
  if (isIP(host) !== 0 && !network.allows(host)) throw notPublic(host)
}

interface SendOptions {
  readonly signal: AbortSignal
  readonly headers: Record<string, string>
  readonly lookup?: LookupFunction
  readonly network?: Network
}

function send(
  start: typeof request,
  url: URL,
  { signal, headers, lookup, network }: SendOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = start(url, {
      agent: false,
      signal,
      headers: { 'accept-encoding': 'identity', ...headers },
      ...(lookup && { lookup }),
      ...(network?.ca !== undefined && { ca: network.ca }),
    })
    sent.once('response', resolve)
    // An upgrade is an answer as well. Without this listener nothing would follow: neither an error nor an abort.
    sent.once('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer)
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Refuses a host if one of its addresses is not public: a host with both kinds tries to be let in. */
function checkedLookup({ resolve, allows }: Network): LookupFunction {
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
  return mediaRefused(`${host} is no host of the open internet, so nothing is fetched from there`)
}

// Neither error holds the address itself: the part after the host may be a secret.

/** Another attempt would end the same. */
export function mediaRefused(why: string): SwitchhookError {
  return new SwitchhookError('media_refused', `media: ${why}`)
}

/** Another attempt may succeed. */
export function mediaUnavailable(why: string, cause?: unknown): SwitchhookError {
  return new SwitchhookError('media_unavailable', `media: ${why}`, { cause })
}
