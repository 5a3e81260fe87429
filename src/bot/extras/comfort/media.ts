import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type Duration, toMs } from '../../../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../../base/errors.ts'
import { isLoopback, isPublicAddress } from '../../../base/host.ts'
import type { MediaFact } from '../../switchhook.ts'

export interface DownloadOptions {
  /** Larger files are refused, whether or not their size is declared. */
  maxBytes: number
  /** For the whole download, including redirects. Default 20 s. */
  timeout?: Duration
  /**
   * A bearer token, and the only hosts that it is sent to, such as `'media.example.com'`. The specification does not
   * state whether the service's media need the access token, nor their host: check the address of a real one.
   */
  token?: { value: string; hosts: readonly string[] }
  /**
   * The service's address. Default `SWITCHHOOK_BASE_URL`. If it is an emulator on this machine, its media are fetched
   * too, although they are neither https nor on the open internet.
   */
  baseUrl?: string
  /** Aborts the download: `ctx.signal`. */
  signal?: AbortSignal
}

export interface Downloaded {
  bytes: Buffer
  size: number
  /** As the host declares it, which may be wrong. Check the bytes before you trust it. */
  type: string | undefined
}

const TIMEOUT: Duration = '20s'
const MOST_REDIRECTS = 3

const OPEN_INTERNET: Network = { resolve: (host) => lookup(host, { all: true }), allows: isPublicAddress }

/**
 * Downloads the file that a customer sent: only over https, only from the open internet (or from the app's emulator),
 * and either completely or not at all. The address comes from a payload, so it could name your own machine. Private,
 * loopback and link-local addresses are refused, whatever name resolves to them, and each redirect is checked too.
 *
 *     bot.received('image', async (ctx) => {
 *       const { bytes } = await downloadMedia(ctx.message.media, { maxBytes: 5_000_000, signal: ctx.signal })
 *     })
 *
 * @throws SwitchhookError `media_refused` if another attempt would fail too, `media_unavailable` if it may succeed,
 * `options_invalid`.
 */
export function downloadMedia(media: Pick<MediaFact, 'url'>, options: DownloadOptions): Promise<Downloaded> {
  return downloadFrom(OPEN_INTERNET, media, options)
}

/** For tests, with another network. */
export async function downloadFrom(
  network: Network,
  media: Pick<MediaFact, 'url'>,
  { maxBytes, timeout = TIMEOUT, token, baseUrl = process.env['SWITCHHOOK_BASE_URL'], signal }: DownloadOptions,
): Promise<Downloaded> {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw optionsInvalid(`downloadMedia: maxBytes: expected a number of bytes, got ${maxBytes}`)
  const deadline = AbortSignal.timeout(toMs(timeout, 'downloadMedia: timeout'))
  const ended = signal ? AbortSignal.any([deadline, signal]) : deadline
  let url = URL.parse(media.url)
  try {
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      if (!url) throw mediaRefused('the address is not valid')
      // Only the address in the payload may be the emulator's. A redirect to it comes from elsewhere.
      const answer =
        hops === 0 && isOfEmulator(url, baseUrl)
          ? await localRequest(url, { signal: ended })
          : await guardedRequest(url, { network, signal: ended, headers: authorization(token, url) })
      const next = redirectOf(answer)
      if (next === undefined) return await read(answer, maxBytes)
      answer.destroy()
      url = URL.parse(next, url.href)
    }
    throw mediaRefused(`more than ${MOST_REDIRECTS} redirects`)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (deadline.aborted) throw mediaUnavailable(`it did not arrive within ${timeout}`, error)
    if (error instanceof SwitchhookError) throw error
    throw mediaUnavailable(`${url?.host ?? ''} cannot be reached: ${reasonOf(error)}`, error)
  }
}

/** True if the service is an emulator on this machine, and this is an address of it. */
function isOfEmulator({ origin }: URL, baseUrl: string | undefined): boolean {
  return baseUrl !== undefined && isLoopback(baseUrl) && origin === new URL(baseUrl).origin
}

function authorization(token: DownloadOptions['token'], { host }: URL): Record<string, string> {
  return token?.hosts.some((named) => named.toLowerCase() === host) ? { authorization: `Bearer ${token.value}` } : {}
}

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

function redirectOf({ statusCode, headers: { location } }: IncomingMessage): string | undefined {
  return REDIRECTS.includes(statusCode) ? (location ?? '') : undefined
}

/** Another attempt may succeed after these, as after 5xx. */
const TEMPORARY: readonly number[] = [408, 425, 429]

async function read(answer: IncomingMessage, maxBytes: number): Promise<Downloaded> {
  const { statusCode = 0, headers } = answer
  const tooLarge = () => mediaRefused(`it has more than the ${maxBytes} bytes that are allowed`)
  try {
    if (statusCode !== 200) {
      const why = `the answer was ${statusCode}${statusCode === 401 || statusCode === 403 ? ': its host may need the token, see the option token' : ''}`
      throw statusCode >= 500 || TEMPORARY.includes(statusCode) ? mediaUnavailable(why) : mediaRefused(why)
    }
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw mediaRefused('it is compressed, which was not requested')
    if (Number(headers['content-length']) > maxBytes) throw tooLarge()
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks, size), size, type: headers['content-type'] }
  } finally {
    answer.destroy()
  }
}

/** The network of a download. Tests replace it. */
export interface Network {
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  allows(address: string): boolean
  /** The authority to trust instead of Node's own. */
  readonly ca?: string
}

/**
 * Sends a request and resolves with the head of the answer. Connects to exactly the address that was checked, so that a
 * name that resolves to another address next time changes nothing. Each request has its own connection, because the
 * address of a kept one was not checked.
 */
function guardedRequest(
  url: URL,
  o: { network: Network; signal: AbortSignal; headers: Record<string, string> },
): Promise<IncomingMessage> {
  checkAddress(url, o.network)
  return send(request, url, { ...o, lookup: checkedLookup(o.network) })
}

/** Sends a request to an emulator on this machine, also over http. */
function localRequest(url: URL, o: { signal: AbortSignal }): Promise<IncomingMessage> {
  return send(url.protocol === 'http:' ? httpRequest : request, url, { ...o, headers: {} })
}

function checkAddress(url: URL, network: Network): void {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:') throw mediaRefused(`only https is allowed, not ${url.protocol}//`)
  if (url.username !== '' || url.password !== '') throw mediaRefused('an address with credentials is not allowed')
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
    // An upgrade is an answer too. Without this listener there would be neither an error nor an abort.
    sent.once('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer)
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Refuses a host if one of its addresses is not public, because a host with both kinds may be an attack. */
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
  return mediaRefused(`${host} is not a host of the open internet, so nothing is fetched from it`)
}

// Neither error contains the address, because the part after the host may be a secret.

/** Another attempt would fail too. */
function mediaRefused(why: string): SwitchhookError {
  return new SwitchhookError('media_refused', `media: ${why}`)
}

/** Another attempt may succeed. */
function mediaUnavailable(why: string, cause?: unknown): SwitchhookError {
  return new SwitchhookError('media_unavailable', `media: ${why}`, { cause })
}
