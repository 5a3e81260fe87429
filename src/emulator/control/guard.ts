import { HOST } from '../http/server.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import { carriesToken } from '../http/token.ts'

export interface Guard {
  readonly port: number
  readonly controlToken: string
}

const LOOPBACK_NAMES = [HOST, 'localhost', '[::1]']

/**
 * Who may use the control API: it can make the app act as if a customer wrote, so web pages must not reach it.
 * A foreign Host is a name rebound to this machine, a foreign Origin a page; and each change needs the token.
 */
export function admit(request: HttpRequest, guard: Guard): void {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${guard.port}`)
  const { host = '', origin } = request.headers
  if (!hosts.includes(host.toLowerCase()))
    throw refuse(403, 'forbidden_host', `The control API answers at ${hosts.join(', ')} alone.`)
  if (origin !== undefined && !hosts.map((name) => `http://${name}`).includes(origin.toLowerCase()))
    throw refuse(403, 'forbidden_origin', 'The control API answers no other origin.')
  if (request.method !== 'GET' && !carriesToken(request.headers.authorization, guard.controlToken))
    throw refuse(401, 'not_authorized', 'A change needs Authorization: Bearer with the control token of this run.')
}
