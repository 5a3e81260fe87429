import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { type Duration, toMs } from '../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../base/errors.ts'
import { isLoopback, isPublicAddress } from '../base/host.ts'
import type { MediaFact } from '../index.ts'
import { guardedRequest, localRequest, mediaRefused, mediaUnavailable, type Network } from './guarded-request.ts'

export interface DownloadOptions {
  /** More bytes than this are refused, whether they are declared or come undeclared. */
  maxBytes: number
  /** For the whole download, redirects included; default 20 s. */
  timeout?: Duration
  /**
   * A bearer token, and the only hosts that it is sent to, such as `'media.example.com'`. The specification does not
   * show whether the service's media need the access token, nor their host: look at the address of one that came.
   */
  token?: { value: string; hosts: readonly string[] }
  /**
   * The service's address, default `SWITCHHOOK_BASE_URL`. If that is an emulator on this machine, the media that it serves
   * there are fetched too, though neither https nor the open internet leads to them.
   */
  baseUrl?: string
  /** Ends the download early: `ctx.signal`. */
  signal?: AbortSignal
}

export interface Downloaded {
  bytes: Buffer
  size: number
  /** As the host declares it, which may be wrong: look at the bytes before you trust it. */
  type: string | undefined
}

const TIMEOUT: Duration = '20s'
const MOST_REDIRECTS = 3

const OPEN_INTERNET: Network = { resolve: (host) => lookup(host, { all: true }), allows: isPublicAddress }

/**
 * Fetches the file that a customer sent: over https alone, from the open internet alone (or from the emulator that the
 * app runs against), to the last byte or not at all. The address comes out of a payload, so it could name your own machine: private, loopback and link-local
 * addresses are not connected to, whatever name resolves to them; each redirect is checked in the same way.
 *
 *     bot.received('image', async (ctx) => {
 *       const { bytes } = await downloadMedia(ctx.message.media, { maxBytes: 5_000_000, signal: ctx.signal })
 *     })
 *
 * @throws SwitchhookError `media_refused` if another attempt would end the same, `media_unavailable` if it may succeed,
 * `options_invalid`.
 */
export function downloadMedia(media: Pick<MediaFact, 'url'>, options: DownloadOptions): Promise<Downloaded> {
  return downloadFrom(OPEN_INTERNET, media, options)
}

/** The same over any network, for tests. */
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
      if (!url) throw mediaRefused('the address is none')
      // Only the address out of the payload may be the emulator's: a redirect to it comes from elsewhere.
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
    if (deadline.aborted) throw mediaUnavailable(`it did not come within ${timeout}`, error)
    if (error instanceof SwitchhookError) throw error
    throw mediaUnavailable(`${url?.host ?? ''} cannot be reached: ${reasonOf(error)}`, error)
  }
}

/** Tells whether an address is that of the service, and the service is an emulator on this machine. */
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

/** Besides 5xx: another attempt may succeed. */
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
      throw mediaRefused('it came compressed, which was not asked for')
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
