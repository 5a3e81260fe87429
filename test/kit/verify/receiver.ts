import { createHmac, timingSafeEqual } from 'node:crypto'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Timers } from '../../../src/base/clock.ts'
import { listenOn } from '../../bot/inbox/adapters/http.ts'

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
  /** Runs before the answer. */
  readonly before: () => Promise<void>
  /** Answers a refused delivery. */
  readonly refusal: (response: Response, why: string, right: string) => void
}

/** No answer is too late: a busy machine changes no verdict. */
export const PATIENT: Timers = { after: () => () => {} }

const FORM = /^sha256=[0-9a-fA-F]{64}$/

/** As the specification's receiver rules say. */
export const RIGHT: Steps = {
  parser: express.raw({ type: () => true, limit: '1mb', inflate: false }),
  bytes: (request) => request.body as Buffer,
  time: (header) => (/^[0-9]+$/.test(header) ? Number(header) : undefined),
  isFresh: (seconds, now) => Math.abs(now - seconds) <= 300,
  isRight: (header, mac) => FORM.test(header) && timingSafeEqual(Buffer.from(header.slice(7), 'hex'), mac),
  objection: () => undefined,
  before: async () => {},
  refusal: (response) => void response.status(401).json({ error: 'unauthorized' }),
}

/** A plain Express app that receives by these steps, and counts the deliveries that it has accepted. */
export async function plainReceiver(mistakes: Partial<Steps> = {}, { now = Date.now } = {}) {
  const steps = { ...RIGHT, ...mistakes }
  const app = express()
  let accepted = 0
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
    await steps.before()
    accepted++
    response.json({ status: 'accepted' })
  })
  // Without this, Express prints what it catches.
  app.use(((error: { status?: number }, _request, response, _next) => {
    response.status(error.status ?? 500).end()
  }) as express.ErrorRequestHandler)
  const { url, server } = await listenOn(app)
  return { url: new URL(`${url}/hook`), accepted: () => accepted, server }
}
