import { type ClientOptions, createClient } from '../../src/client/client.ts'
import { MESSAGE } from './service.ts'

export const TOKEN = 'EAAGtestTokenOfTheConnectedNumber0123456789abcdef'

export interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

type Reply = () => Response | Promise<Response>

export const says = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return () => new Response(text, { status, headers })
}

export const accepts = (headers: Record<string, string> = {}) => says(200, MESSAGE, headers)
export const refuses = (status: number, code?: string) => says(status, { ...(code && { code }), message: 'because' })

/** Throws as fetch does, with the reason in the cause. */
export const breaks =
  (cause: object): Reply =>
  () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('broken'), cause) })
  }

export const hangs: Reply = () => new Promise<never>(() => {})

/** A fetch that answers from a script, in memory; the last answer repeats. */
export function scripted(...replies: Reply[]) {
  const requests: SentRequest[] = []
  const play: typeof fetch = async (input, init) => {
    requests.push({
      url: input as string,
      method: init?.method ?? 'GET',
      headers: init?.headers as Record<string, string>,
      body: init?.body as string | undefined,
    })
    const reply = replies[Math.min(requests.length, replies.length) - 1] as Reply
    return await reply()
  }
  return { fetch: play, requests }
}

/**
 * Time that passes at once: a timer fires when nothing else has anything to do. A request in memory is
 * answered before that, so that only waits pass, and a fetch that hangs runs into its time-out.
 */
export function steppedTime() {
  let now = 0
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    pass(ms: number) {
      now += ms
    },
    timers: {
      after(ms: number, run: () => void) {
        let live = true
        setImmediate(() => {
          if (!live) return
          now += ms
          waits.push(ms)
          run()
        })
        return () => {
          live = false
        }
      },
    },
  }
}

/** A client on scripted answers and stepped time; `random` is 1 unless given, so that waits are the longest. */
export function clientOn(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const time = steppedTime()
  const { fetch, requests } = scripted(...replies)
  const client = createClient({
    baseUrl: 'https://service.example',
    accessToken: TOKEN,
    fetch,
    timers: time.timers,
    now: time.now,
    random: () => 1,
    ...options,
  })
  return { client, requests, time }
}

/** The error that a call was rejected with. */
export async function rejection(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('it was not rejected')
}
