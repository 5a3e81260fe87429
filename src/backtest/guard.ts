import { Socket as UdpSocket } from 'node:dgram'
import { Server, Socket } from 'node:net'

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
  const isAllowed = (host: string) => isThisMachine(host) || allowed.includes(host.toLowerCase())
  const refusal = (host: string) => {
    refused[host] = (refused[host] ?? 0) + 1
    const error = new Error(
      `a backtest calls nothing but this machine, and this is a call to ${host}: --allow ${host} lets it through`,
    )
    return Object.assign(error, { code: 'EBACKTEST', host })
  }

  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    const host = hostOf(targetOf(given))
    if (host === undefined || isAllowed(host)) return Reflect.apply(connect, this, given) as Socket
    const error = refusal(host)
    process.nextTick(() => this.destroy(error))
    return this
  }

  guardUdp(isAllowed, refusal)

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

function guardUdp(isAllowed: (host: string) => boolean, refusal: (host: string) => Error): void {
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
