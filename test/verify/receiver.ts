import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { onTestFinished } from 'vitest'

export const SECRET = 'whsec_of_the_plain_app'

/** The steps of a receiver that was written without this library. */
export interface Steps {
  readonly parser: RequestHandler
  readonly bytes: (request: Request) => Buffer | string
  /** Unix seconds, or undefined for a header that is refused. */
  readonly time: (header: string) => number | undefined
  readonly isFresh: (seconds: number, now: number) => boolean
  readonly isRight: (header: string, mac: Buffer) => boolean
  /** An error status for a delivery that is signed and fresh. */
  readonly objection: (event: string | undefined, body: Buffer) => number | undefined
  /** Tells whether the delivery was there before, and notes it. */
  readonly isKnown: (seen: Set<string>, delivery: Delivered) => boolean
  /** Runs before the answer. */
  readonly before: (work: () => void) => Promise<void>
  /** Runs after the answer. */
  readonly after: (work: () => void) => void
  /** Answers a refused delivery. */
  readonly refusal: (response: Response, why: string, right: string) => void
  /** Runs before the effects are counted. */
  readonly beforeCount: () => void
}

interface Delivered {
  readonly id: string | undefined
  readonly material: string
}

const FORM = /^sha256=[0-9a-fA-F]{64}$/

/** As the specification's receiver rules say. */
export const RIGHT: Steps = {
  parser: express.raw({ type: () => true, limit: '1mb', inflate: false }),
  bytes: (request) => request.body as Buffer,
  time: (header) => (/^[0-9]+$/.test(header) ? Number(header) : undefined),
  isFresh: (seconds, now) => Math.abs(now - seconds) <= 300,
  isRight: (header, mac) => FORM.test(header) && timingSafeEqual(Buffer.from(header.slice(7), 'hex'), mac),
  objection: () => undefined,
  isKnown: (seen, { id, material }) => {
    const keys = [material, ...(id === undefined ? [] : [`id ${id.toUpperCase()}`])]
    const known = keys.some((key) => seen.has(key))
    for (const key of keys) seen.add(key)
    return known
  },
  before: async () => {},
  after: (work) => work(),
  refusal: (response) => void response.status(401).json({ error: 'unauthorized' }),
  beforeCount: () => {},
}

/** A plain Express app that receives by these steps, and counts the deliveries that it has handled. */
export async function plainReceiver(mistakes: Partial<Steps> = {}, { now = Date.now, tickMs = 20 } = {}) {
  const steps = { ...RIGHT, ...mistakes }
  const app = express()
  const seen = new Set<string>()
  let effects = 0
  app.post('/hook', steps.parser, async (request, response) => {
    const signature = request.get('X-Service-Signature') ?? ''
    const timestamp = request.get('X-Service-Timestamp')
    const body = steps.bytes(request)
    const mac = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest()
    const refuse = (why: string) => steps.refusal(response, why, mac.toString('hex'))
    const time = steps.time(timestamp ?? '')
    if (time === undefined || !steps.isFresh(time, now() / 1_000)) return refuse('time')
    if (!steps.isRight(signature, mac)) return refuse('signature')
    const objection = steps.objection(request.get('X-Service-Event'), Buffer.from(body))
    if (objection !== undefined) return void response.status(objection).json({ error: 'not understood' })
    const material = createHash('sha256').update(`${timestamp}.`).update(body).digest('hex')
    const work = () => void effects++
    const known = steps.isKnown(seen, { id: request.get('X-Service-Delivery'), material })
    if (!known) await steps.before(work)
    response.json({ status: 'accepted' })
    if (!known) steps.after(work)
  })
  // Without this, Express prints what it catches.
  app.use(((error: { status?: number }, _request, response, _next) => {
    response.status(error.status ?? 500).end()
  }) as express.ErrorRequestHandler)
  const server = createServer((request, response) => {
    giveUpIfStalled(request, response, tickMs)
    app(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
  const count = async () => {
    steps.beforeCount()
    return effects
  }
  return { url, app, count, server }
}

const MAX_IDLE_TICKS = 20

/**
 * Closes a request whose body stops. The deadline counts ticks of the event loop between which no byte came, not wall
 * time: on a busy machine bytes that have arrived are read before the next tick, so only a stalled body is given up.
 */
function giveUpIfStalled(request: IncomingMessage, response: ServerResponse, tickMs: number): void {
  let bytesRead = -1
  let idle = 0
  const ticks = setInterval(() => {
    idle = request.socket.bytesRead === bytesRead ? idle + 1 : 0
    bytesRead = request.socket.bytesRead
    if (request.complete || response.writableEnded || request.destroyed) clearInterval(ticks)
    else if (idle >= MAX_IDLE_TICKS) request.destroy()
  }, tickMs)
  response.on('close', () => clearInterval(ticks))
}
