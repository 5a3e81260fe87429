import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duration, toMs } from '../../../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError, readError } from '../../../base/errors.ts'
import type { Log } from '../../../base/log.ts'
import {
  type AnyBot,
  type BotInternals,
  internalsOf,
  type Role,
  endpointOf,
  type EndpointOptions,
} from '../../bot-internals.ts'
import { type Incoming, healthAnswer, isSamePath, pathOf, sendAnswer, toIncoming } from '../http.ts'

const NOT_FOUND = { status: 404, headers: { 'content-type': 'application/json' }, body: '{"error":"not_found"}' }

export interface Served {
  /** The address for deliveries, such as `http://127.0.0.1:3000/webhooks/messages`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts the bot, listens, and stops both on SIGTERM or SIGINT in the right order: deliveries are still stored while
 * handlers finish. Then it ends the process, unless your app listens for the signal too.
 *
 * ```ts
 * await serve(bot, { port: 3000 })
 * ```
 *
 * @param o.port default 3000; 0 picks a free one.
 * @param o.path default `/webhooks/messages`. Accepted in any case, and with a final slash.
 * @param o.health the path for probes, answered like `health` of the Express adapter. Default `/health`.
 * @param o.drain how long a stop waits for handlers. Default 8 s, because containers are usually killed after ten.
 * @param o.role the work of this process, as for `bot.start()`. With 'work' it only answers probes.
 * @throws SwitchhookError `port_in_use`, `options_invalid`, and the errors of `bot.start()`.
 */
export async function serve(
  bot: AnyBot,
  o: { port?: number; path?: string; health?: string; drain?: Duration; role?: Role } = {},
): Promise<Served> {
  const { port = 3000, path = '/webhooks/messages', health = '/health', drain, role, ...unknown } = o
  check(port, unknown)
  checkPath('path', path)
  checkPath('health', health)
  if (isSamePath(path, health)) throw optionsInvalid('health: expected another path than that of path')
  if (drain !== undefined) toMs(drain, 'drain')
  const internals = internalsOf(bot)
  await internals.start(role && { role })
  if (internals.needsNumber && internals.role() !== 'work') {
    await internals.stop()
    throw optionsInvalid(
      "serve() has one path for all numbers, but the numbers of this bot come from a source: mount webhook(bot, { number }) in your own server. With the role 'work' serve() answers probes",
    )
  }
  const server = harden(
    // By default Node checks only every 30 s whether a request exceeds its time limits.
    createServer({ connectionsCheckingInterval: 5_000 }, (request, response) =>
      handle(request, response, internals, { path, health }),
    ),
  )
  try {
    await listen(server, port)
  } catch (error) {
    await internals.stop()
    throw error
  }
  let stopping: Promise<void> | undefined
  const stop = () =>
    (stopping ??= internals.stop({ ...(drain !== undefined && { drain }), onDrained: () => closed(server) }))
  const removeSignalHandlers = onSignal(stop, internals.log)
  const close = () => stop().finally(removeSignalHandlers)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, close }
}

/**
 * The bot as a listener of plain `node:http`, for your own server and for frameworks that expose its request and
 * response (Fastify, Koa). It handles every request that you pass, whatever its path. It reads the body itself, so pass
 * the request unread, or with the exact bytes as a `Buffer` in `rawBody`.
 *
 * ```ts
 * const receive = webhook(bot)
 * await bot.start()
 * createServer((request, response) =>
 * request.url?.split('?')[0] === '/webhooks/messages' ? receive(request, response) : shop(request, response))
 * ```
 *
 * @throws SwitchhookError `options_invalid`
 */
export function webhook(
  bot: AnyBot,
  o: EndpointOptions<IncomingMessage> = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const internals = internalsOf(bot)
  const endpoint = endpointOf(o, internals)
  return (request, response) => answer(request, response, internals, endpoint(request))
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const
const SAME_SIGNAL_MS = 1_000
const LAST_ANSWERS_MS = 500

/** The signal handlers and the stops of all bots that this process serves. */
const handlers = new Set<unknown>()
const stops = new Set<Promise<void>>()

/**
 * Stops on SIGTERM and SIGINT, and ends the process then if nobody else listens for the signal. A terminal signals npm
 * and its child, and npm signals the child again, so another signal within a second is the same one. A later signal
 * means "now": the handlers are removed, so it ends the process.
 */
function onSignal(stop: () => Promise<void>, log: Log): () => void {
  let others = false
  const handler = (signal: NodeJS.Signals) => {
    setTimeout(remove, SAME_SIGNAL_MS).unref()
    others ||= process.listeners(signal).some((one) => !handlers.has(one))
    const stopped = stop()
    stops.add(stopped)
    void stopped.then(() => Promise.all(stops)).then(() => (others ? reportWhatKeeps(log) : process.exit()))
  }
  const remove = () => {
    for (const signal of SIGNALS) process.off(signal, handler)
  }
  handlers.add(handler)
  // Run before other listeners, to count them: a listener that runs once is no longer listed after it has run.
  for (const signal of SIGNALS) process.prependListener(signal, handler)
  return remove
}

/** Logs what keeps the process alive, if it has not ended after a second. */
function reportWhatKeeps(log: Log): void {
  setTimeout(() => {
    const kept: Record<string, number> = {}
    for (const resource of process.getActiveResourcesInfo()) kept[resource] = (kept[resource] ?? 0) + 1
    log.info({ kept }, 'the bot has stopped. The process lives on until your app has closed its timers and connections')
  }, SAME_SIGNAL_MS).unref()
}

function check(port: number, unknown: object): void {
  // Refuse unknown options: with `host`, the app would believe that it listens on one address only.
  const [name] = Object.keys(unknown)
  if (name !== undefined)
    throw optionsInvalid(
      `${name}: this option of serve() does not exist. Its options are port, path, health, drain and role. It listens on all addresses: for one address, mount webhook(bot) in your own server`,
    )
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw optionsInvalid(`port: expected a whole number from 0 to 65535, got ${port}`)
}

function checkPath(name: 'path' | 'health', path: string): void {
  if (/^\/[^\s?#]*$/.test(path)) return
  throw optionsInvalid(
    `${name}: expected a path that begins with / and has no query, such as '/webhooks/messages', got ${JSON.stringify(path)}`,
  )
}

function handle(
  request: IncomingMessage,
  response: ServerResponse,
  internals: BotInternals,
  { path, health }: { readonly path: string; readonly health: string },
): void {
  const asked = pathOf(request.url)
  // A POST is no probe: a delivery to this path must not be acknowledged with the probe's 200.
  if (isSamePath(asked, health) && request.method !== 'POST') return sendAnswer(response, healthAnswer(internals))
  if (isSamePath(asked, path)) return answer(request, response, internals)
  const other = { ...toIncoming(request, response), path: asked, right: path, answeredWith: () => NOT_FOUND.status }
  void internals.elsewhere(other).then(() => sendAnswer(response, NOT_FOUND))
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  internals: BotInternals,
  endpoint: Pick<Incoming, 'number'> = {},
): void {
  internals.receive({ ...toIncoming(request, response), ...endpoint }).then(
    (answer) => sendAnswer(response, answer),
    () => response.destroy(),
  )
}

/** Node's own limits allow a request five minutes for its body. */
function harden(server: Server): Server {
  // The limit includes the head of a request.
  server.requestTimeout = 30_000
  // Longer than balancers keep a connection (60 s), so that none writes on a connection that closes just then.
  server.keepAliveTimeout = 65_000
  server.headersTimeout = 70_000
  server.maxHeadersCount = 100
  return server
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const busy = readError(error).code === 'EADDRINUSE'
      reject(
        busy
          ? new SwitchhookError(
              'port_in_use',
              `port ${port} is in use: stop the program that listens there, or choose another port: PORT=3001 if the app reads it, else serve(bot, { port: 3001 })`,
            )
          : new Error(`cannot listen on port ${port}: ${reasonOf(error)}`, { cause: error }),
      )
    })
    server.listen(port, () => resolve())
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done())
    server.closeIdleConnections()
    // Running requests get a moment to finish.
    setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS).unref()
  })
}
