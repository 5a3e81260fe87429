import { HOST } from '../http/server.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { carriesToken } from '../http/messages.ts'
import { CONTROL_PREFIX, isControlPath } from './request.ts'

interface Guard {
  readonly port: number
  readonly controlToken: string
}

const LOOPBACK_NAMES = [HOST, 'localhost', '[::1]']

/** Anybody on this machine may read these: the routes, the time and the emulator's behaviour tell of no conversation. */
const OPEN_READS = ['', '/clock', '/fidelity', '/assumptions'].map((path) => CONTROL_PREFIX + path)

const TOKEN_NEEDED =
  "This needs Authorization: Bearer with this run's control token. `switchhook dev` and `switchhook emulator` print it " +
  'and write it to .switchhook/dev.json; createEmulator() gives it as controlToken.'

/** Tells whether a route of the control API needs the control token. */
export function needsToken({ method, path }: Pick<HttpRequest, 'method' | 'path'>): boolean {
  return method !== 'GET' || !OPEN_READS.includes(path)
}

/**
 * Refuses a request that may not use the control API or the page. The control API can make the app act as if a customer
 * wrote, so web pages must not reach it: a foreign Host is a name rebound to this machine, a foreign Origin a page.
 * Other programs and users of this machine have no token, so they change nothing and read no conversation.
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
    throw refuse(401, 'not_authorized', TOKEN_NEEDED)
}
