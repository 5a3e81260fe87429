import { HOST } from '../http/server.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { carriesToken } from '../http/messages.ts'
import { isControlPath } from './request.ts'

interface Guard {
  readonly port: number
  readonly controlToken: string
}

const LOOPBACK_NAMES = [HOST, 'localhost', '[::1]']

/** Paths whose GET needs the token too: they show one-time codes, tokens or secrets. */
const SECRET_PATHS = /^\/_emulator\/(?:customers\/[^/]+\/codes|state)$/

/** Tells whether a route of the control API needs the control token. */
export function needsToken({ method, path }: Pick<HttpRequest, 'method' | 'path'>): boolean {
  return method !== 'GET' || SECRET_PATHS.test(path)
}

/**
 * Refuses a request that may not use the control API or the page. The control API can make the app act as if a customer
 * wrote, so web pages must not reach it: a foreign Host is a name rebound to this machine, a foreign Origin a page. Each
 * change needs the control token.
 */
export function guardControl(request: HttpRequest, guard: Guard): void {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${guard.port}`)
  const { host = '', origin } = request.headers
  if (!hosts.includes(host.toLowerCase()))
    throw refuse(403, 'forbidden_host', `The control API answers at ${hosts.join(', ')} alone.`)
  if (origin !== undefined && !hosts.map((name) => `http://${name}`).includes(origin.toLowerCase()))
    throw refuse(403, 'forbidden_origin', 'The control API answers no other origin.')
  if (!isControlPath(request.path)) return
  if (needsToken(request) && !carriesToken(request.headers.authorization, guard.controlToken))
    throw refuse(401, 'not_authorized', 'This needs Authorization: Bearer with the control token of this run.')
}
