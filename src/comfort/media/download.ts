import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { type Duration, toMs } from '../../base/duration.ts'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { isPublicAddress } from '../../base/public-host.ts'
import type { MediaFact } from '../../index.ts'

import { ask, type Net } from './ask.ts'
import { refused, unavailable } from './errors.ts'

export interface DownloadOptions {
  /** More bytes than these are refused, by what is declared and by what comes. */
  maxBytes: number
  /** For all of it, redirects included; default 20 s. */
  timeout?: Duration
  /**
   * A bearer token, and the only hosts that it is sent to, such as `'media.example.com'`. Whether the service's media
   * need the access token, and at which host they lie, is not shown: look at the address of one that came.
   */
  token?: { value: string; hosts: readonly string[] }
  /** Ends it early: `ctx.signal`. */
  signal?: AbortSignal
}

export interface Downloaded {
  bytes: Buffer
  size: number
  /** By the word of who sent it, which may be wrong: look at the bytes before you trust it. */
  type: string | undefined
}

const TIMEOUT: Duration = '20s'
const MOST_REDIRECTS = 3

const OPEN_INTERNET: Net = { resolve: (host) => lookup(host, { all: true }), allows: isPublicAddress }

/**
 * Fetches what a customer sent: over https alone, from the open internet alone, to the last byte or not at all. The
 * address comes out of a payload, so it could name a machine of yours: private, loopback and link-local ones are not
 * connected to, whatever a name resolves to; each redirect is checked in the same way.
 *
 *     bot.received('image', async (ctx) => {
 *       const { bytes } = await downloadMedia(ctx.message.media, { maxBytes: 5_000_000, signal: ctx.signal })
 *     })
 *
 * @throws SwitchhookError `media_refused` where another attempt would bring the same, `media_unavailable` where it may
 * bring it, `options_invalid`.
 */
export function downloadMedia(media: Pick<MediaFact, 'url'>, options: DownloadOptions): Promise<Downloaded> {
  return downloadFrom(OPEN_INTERNET, media, options)
}

export async function downloadFrom(
  net: Net,
  { url: given }: Pick<MediaFact, 'url'>,
  { maxBytes, timeout = TIMEOUT, token, signal }: DownloadOptions,
): Promise<Downloaded> {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new SwitchhookError('options_invalid', `downloadMedia: maxBytes: expected a number of bytes, got ${maxBytes}`)
  const deadline = AbortSignal.timeout(toMs(timeout, 'downloadMedia: timeout'))
  const over = signal ? AbortSignal.any([deadline, signal]) : deadline
  let url = URL.parse(given)
  try {
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      if (!url) throw refused('the address is none')
      const headers = bearer(token, url)
      const answer = await ask(url, { net, signal: over, headers })
      const next = redirectOf(answer)
      if (next === undefined) return await read(answer, maxBytes)
      answer.destroy()
      url = URL.parse(next, url.href)
    }
    throw refused(`more than ${MOST_REDIRECTS} redirects`)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (deadline.aborted) throw unavailable(`it did not come within ${timeout}`, error)
    if (error instanceof SwitchhookError) throw error
    throw unavailable(`${url?.host ?? ''} cannot be reached: ${reasonOf(error)}`, error)
  }
}

function bearer(token: DownloadOptions['token'], { host }: URL): Record<string, string> {
  return token?.hosts.some((named) => named.toLowerCase() === host) ? { authorization: `Bearer ${token.value}` } : {}
}

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

function redirectOf({ statusCode, headers: { location } }: IncomingMessage): string | undefined {
  return REDIRECTS.includes(statusCode) ? (location ?? '') : undefined
}

/** What passes by itself. */
const AGAIN: readonly number[] = [408, 425, 429]

async function read(answer: IncomingMessage, maxBytes: number): Promise<Downloaded> {
  const { statusCode = 0, headers } = answer
  const tooMuch = () => refused(`it has more than the ${maxBytes} bytes that are allowed`)
  try {
    if (statusCode !== 200) {
      const why = `the answer was ${statusCode}${statusCode === 401 || statusCode === 403 ? ': its host may need the token, see the option token' : ''}`
      throw statusCode >= 500 || AGAIN.includes(statusCode) ? unavailable(why) : refused(why)
    }
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw refused('it came compressed, which was not asked for')
    if (Number(headers['content-length']) > maxBytes) throw tooMuch()
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooMuch()
      chunks.push(chunk)
    }
    return { bytes: Buffer.concat(chunks, size), size, type: headers['content-type'] }
  } finally {
    answer.destroy()
  }
}
