import dgram, { type SocketOptions, Socket as UdpSocket } from 'node:dgram'
import { Server, Socket, type TcpSocketConnectOpts } from 'node:net'
import { guardLookup, guardNames, type Hosts } from './guard-names.ts'

/** Keeps a process from calling anything but its own machine. */
export interface Guard {
  /** The hosts that were called and refused, with the number of calls. */
  refused(): Readonly<Record<string, number>>
}

/** The address to which a socket is to be connected, as far as it says so. */
interface Target {
  readonly host?: unknown
  readonly path?: unknown
}

/**
 * Fails connections to other machines, unless their host is allowed by its name, and has servers listen at a free port of
 * this machine: the app that works here, perhaps beside this one, keeps its port. HTTP, TLS and the drivers of databases
 * go through these sockets; a program that is no Node, and an addon with sockets of its own, do not.
 */
export function guardNetwork(allow: readonly string[]): Guard {
  const refused: Record<string, number> = {}
  const allowed = allow.map((host) => host.toLowerCase())
  const isNamed = (host: string) => allowed.includes(host.toLowerCase())
  const isAllowed = (host: string) => isThisMachine(host) || isNamed(host)
  const refusal = (host: string) => {
    refused[host] = (refused[host] ?? 0) + 1
    const error = new Error(
      `a backtest calls nothing but this machine, and this is a call to ${host}: --allow ${host} lets it through`,
    )
    return Object.assign(error, { code: 'EBACKTEST', host })
  }
  const hosts: Hosts = { isNamed, isAllowed, refusal }
  guardTcp(hosts)
  guardUdp(hosts)
  guardNames(hosts)

  const { listen } = Server.prototype
  Server.prototype.listen = function (this: Server, ...given: unknown[]) {
    const then = given.find((one) => typeof one === 'function')
    const [first] = given
    const path = typeof first === 'object' && first !== null ? (first as Target).path : undefined
    const isLocal = path !== undefined || (typeof first === 'string' && !/^\d+$/.test(first))
    if (isLocal) return Reflect.apply(listen, this, given) as Server
    return Reflect.apply(listen, this, [{ port: 0, host: '127.0.0.1' }, ...(then ? [then] : [])]) as Server
  } as typeof listen

  return { refused: () => ({ ...refused }) }
}

function guardTcp({ isNamed, isAllowed, refusal }: Hosts): void {
  const { connect } = Socket.prototype
  /** A `lookup` of the app's own may answer `localhost` with any address. Node tells each before it connects. */
  function refuseOther(this: Socket, _error: unknown, address: unknown): void {
    if (typeof address === 'string' && !isAllowed(address)) this.destroy(refusal(address))
  }

  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    const host = hostOf(targetOf(given))
    this.off('lookup', refuseOther)
    if (host === undefined || !isNamed(host)) this.on('lookup', refuseOther)
    const refused = host !== undefined && !isAllowed(host)
    return Reflect.apply(connect, this, refused ? [leadingTo(refusal(host))] : given) as Socket
  }
}

/** A name that cannot be found: HTTP/2 takes a socket that does not even try for connected. */
function leadingTo(error: Error): TcpSocketConnectOpts {
  return { host: 'refused', port: 9, lookup: (_host, _o, done) => process.nextTick(done, error) }
}

function guardUdp(hosts: Hosts): void {
  const { isAllowed, refusal } = hosts
  const { createSocket } = dgram
  const guarded = (given: SocketOptions | 'udp4' | 'udp6', ...more: []) => {
    if (typeof given === 'string' || !given.lookup) return createSocket(given as SocketOptions, ...more)
    return createSocket({ ...given, lookup: guardLookup(given.lookup, hosts) }, ...more)
  }
  dgram.createSocket = guarded

  const { connect, send } = UdpSocket.prototype
  UdpSocket.prototype.connect = function (this: UdpSocket, ...given: unknown[]) {
    const host = given.find((one) => typeof one === 'string')
    if (host !== undefined && !isAllowed(host)) throw refusal(host)
    return Reflect.apply(connect, this, given)
  } as typeof connect
  UdpSocket.prototype.send = function (this: UdpSocket, message: unknown, ...given: unknown[]) {
    const host = given.find((one) => typeof one === 'string')
    if (host !== undefined && !isAllowed(host)) throw refusal(host)
    return Reflect.apply(send, this, [message, ...given])
  } as typeof send
}

/** The forms of `socket.connect`: options, a path, a port with a host, and the list that Node itself makes of these. */
function targetOf([first, second]: readonly unknown[]): Target {
  if (Array.isArray(first)) return targetOf(first)
  if (typeof first === 'object' && first !== null) return first
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first }
  return { host: second }
}

/** Undefined for a socket of this machine. */
function hostOf({ host, path }: Target): string | undefined {
  if (typeof path === 'string' && path !== '') return undefined
  return typeof host === 'string' && host !== '' ? host : undefined
}

const THIS_MACHINE = /^(?:localhost|::1?|0\.0\.0\.0|(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i

function isThisMachine(host: string): boolean {
  return THIS_MACHINE.test(host)
}
