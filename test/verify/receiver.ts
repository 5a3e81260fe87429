import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { onTestFinished } from 'vitest'

export const SECRET = 'whsec_of_the_plain_app'

/** The steps of a receiver that somebody wrote without this library. */
export interface Steps {
  readonly parser: RequestHandler
  readonly bytes: (request: Request) => Buffer | string
  /** Unix seconds, or undefined where it is refused. */
  readonly time: (header: string) => number | undefined
  readonly isFresh: (seconds: number, now: number) => boolean
  readonly isRight: (header: string, mac: Buffer) => boolean
  /** An answer that is no 200, to what is signed and fresh. */
  readonly objection: (event: string | undefined, body: Buffer) => number | undefined
  /** Whether it was there before; takes note of it. */
  readonly isKnown: (seen: Set<string>, delivery: Delivered) => boolean
  /** What comes before the answer. */
  readonly before: (work: () => void) => Promise<void>
  /** What comes behind it. */
  readonly after: (work: () => void) => void
  /** To a refused one. */
  readonly refusal: (response: Response, why: string, right: string) => void
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
}

/** A plain Express app that receives by these steps, and counts what it has handled. */
export async function plainReceiver(mistakes: Partial<Steps> = {}) {
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
    if (time === undefined || !steps.isFresh(time, Date.now() / 1_000)) return refuse('time')
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
  // Quiet: Express prints what it catches.
  app.use(((error: { status?: number }, _request, response, _next) => {
    response.status(error.status ?? 500).end()
  }) as express.ErrorRequestHandler)
  const server = createServer({ connectionsCheckingInterval: 50, requestTimeout: 400, headersTimeout: 400 }, app)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
  return { url, app, count: async () => effects, server }
}
