import { HOST } from '../http/server.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { carriesToken } from '../http/messages.ts'
import { isControlPath } from './routes.ts'

export interface Guard {
  readonly port: number
  readonly controlToken: string
}

const LOOPBACK_NAMES = [HOST, 'localhost', '[::1]']

/** One-time codes are read with the token alone, and so are tokens and secrets. */
const SHOWN_TO_FEW = /^\/_emulator\/(?:customers\/[^/]+\/codes|state)$/

/**
 * Who may use the control API: it can make the app act as if a customer wrote, so web pages must not reach it.
 * A foreign Host is a name rebound to this machine, a foreign Origin a page; and each change needs the token. Outside the
 * control API there is nothing to change, and nothing that needs one.
 */
export function admit(request: HttpRequest, guard: Guard): void {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${guard.port}`)
  const { host = '', origin } = request.headers
  if (!hosts.includes(host.toLowerCase()))
    throw refuse(403, 'forbidden_host', `The control API answers at ${hosts.join(', ')} alone.`)
  if (origin !== undefined && !hosts.map((name) => `http://${name}`).includes(origin.toLowerCase()))
    throw refuse(403, 'forbidden_origin', 'The control API answers no other origin.')
  if (!isControlPath(request.path)) return
  const needsToken = request.method !== 'GET' || SHOWN_TO_FEW.test(request.path)
  if (needsToken && !carriesToken(request.headers.authorization, guard.controlToken))
    throw refuse(401, 'not_authorized', 'This needs Authorization: Bearer with the control token of this run.')
}
