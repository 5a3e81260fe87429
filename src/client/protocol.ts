import { connect } from 'node:tls'
import { optionsInvalid } from '../base/errors.ts'
import { isLoopback } from '../base/host.ts'
import { LostConnection } from './no-answer.ts'

type Protocol = 'http' | 'https'

/** Milliseconds that this machine may take to shake hands with itself. */
const HANDSHAKE_MS = 1_000

/** OpenSSL's word for an answer that is no TLS. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER'

/**
 * Refuses a base address on this machine if what listens there speaks the other protocol. Nothing is requested, and
 * nothing is refused if nobody listens or answers: the service may start later.
 *
 * @throws SwitchhookError `options_invalid`
 */
export async function checkProtocol(baseUrl: string): Promise<void> {
  const wrong = isLoopback(baseUrl) ? await wrongProtocolAt(baseUrl) : undefined
  if (wrong !== undefined) throw optionsInvalid(wrong)
}

/**
 * Says that an exchange failed because the service speaks the other protocol; undefined if that is not known. To plain
 * http a TLS server says nothing, so on this machine a handshake tells.
 *
 * @param probes true if the request went over the network, so that a handshake asks the same service.
 */
export async function wrongProtocolBehind(
  error: unknown,
  { address, probes }: { readonly address: string; readonly probes: boolean },
): Promise<string | undefined> {
  if (codesOf(error).includes(NO_TLS)) return wrongProtocol(address, 'http')
  return probes && new URL(address).protocol === 'http:' && isLoopback(address) ? wrongProtocolAt(address) : undefined
}

async function wrongProtocolAt(address: string): Promise<string | undefined> {
  const spoken = await protocolAt(new URL(address))
  return spoken === undefined || `${spoken}:` === new URL(address).protocol ? undefined : wrongProtocol(address, spoken)
}

function wrongProtocol(address: string, spoken: Protocol): string {
  const said = new URL(address).protocol.slice(0, -1)
  // Plain http is for this machine alone, so elsewhere it is no advice.
  const mend = isLoopback(address) ? `write ${spoken}://` : 'are its host and port right?'
  return `baseUrl says ${said}, and what listens there speaks ${spoken}: ${mend}`
}

/** The protocol of what listens at an address; undefined if nothing tells. */
function protocolAt({ protocol, hostname, port }: URL): Promise<Protocol | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      rejectUnauthorized: false,
      timeout: HANDSHAKE_MS,
    })
    const end = (spoken: Protocol | undefined) => {
      socket.destroy()
      resolve(spoken)
    }
    socket
      .once('secureConnect', () => end('https'))
      .once('timeout', () => end(undefined))
      .on('error', (error: NodeJS.ErrnoException) => end(error.code === NO_TLS ? 'http' : undefined))
  })
}

function codesOf(error: unknown): unknown[] {
  const codes: unknown[] = []
  // Behind a handshake the code says that somebody in between wrote into the connection.
  if (error instanceof LostConnection) return codes
  for (let at = error; at instanceof Error && codes.length < 5; at = at.cause)
    codes.push((at as { code?: unknown }).code)
  return codes
}
