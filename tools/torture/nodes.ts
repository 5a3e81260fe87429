/**
 * Their own machines: network namespaces, each with one line to the database and one to all else, so that a node can be
 * parted from the database while deliveries come to it and its replies go out. Packets are dropped, and no connection hears
 * of it.
 */
import { execFileSync } from 'node:child_process'
import { connect, createServer, type Server } from 'node:net'

/** The directions of a line that let nothing through: to the database, from it, or both. */
export type Way = 'to' | 'from' | 'both'

export interface Node {
  /** Runs a command there, which follows it. */
  readonly command: readonly string[]
  /** This machine's address on the node's line to the database. */
  readonly database: string
  /** The node's own address on it. */
  readonly own: string
  /** The address there of what listens on this machine. */
  reaching(url: string): Promise<string>
  /** The address on this machine of what listens there. */
  at(url: string): string
  part(way: Way): void
  repair(): void
}

export interface Nodes extends AsyncDisposable {
  readonly all: readonly Node[]
}

/** The addresses of all lines, of this run and others. */
export const NETWORK = '10.231.0.0/16'

/** @throws Error if this is not Linux with iproute2, or not run as root. */
export function openNodes(count: number): Nodes {
  checkSystem()
  const relays = new Map<string, Promise<Server>>()
  const names: string[] = []
  const close = () => names.splice(0).forEach((name) => ip('netns', 'delete', name))
  process.once('exit', close)
  const all = Array.from({ length: count }, (_, index) => {
    const name = `switchhook-${process.pid}-${index}`
    ip('netns', 'add', name)
    names.push(name)
    ip('-n', name, 'link', 'set', 'lo', 'up')
    const database = openLine(name, 2 * index)
    const world = openLine(name, 2 * index + 1)
    const node: Node = {
      command: ['ip', 'netns', 'exec', name],
      database: database.here,
      own: database.there,
      async reaching(url) {
        const { port } = new URL(url)
        const key = `${world.here}:${port}`
        if (!relays.has(key)) relays.set(key, openRelay(world.here, Number(port)))
        await relays.get(key)
        return Object.assign(new URL(url), { hostname: world.here }).href
      },
      at: (url) => Object.assign(new URL(url), { hostname: world.there }).href,
      part(way) {
        if (way !== 'from') drop('-n', name, database.ends.there)
        if (way !== 'to') drop(database.ends.here)
      },
      repair() {
        for (const end of [['-n', name, database.ends.there], [database.ends.here]]) letThrough(...end)
      },
    }
    return node
  })
  return {
    all,
    async [Symbol.asyncDispose]() {
      for (const relay of relays.values()) (await relay).close()
      process.off('exit', close)
      close()
    },
  }
}

function checkSystem(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('--namespaces needs Linux, and root: it makes network namespaces, with lines to them')
  for (const command of ['ip', 'tc'])
    try {
      execFileSync(command, ['-V'])
    } catch (cause) {
      throw new Error(`--namespaces needs iproute2: there is no command ${command}`, { cause })
    }
}

/** A pair of ends, one of which is in the namespace; it goes with that. */
function openLine(namespace: string, index: number) {
  const subnet = `10.231.${process.pid % 256}`
  const [here, there] = [`${subnet}.${4 * index + 1}`, `${subnet}.${4 * index + 2}`]
  const ends = { here: `sw${process.pid}h${index}`, there: `sw${process.pid}n${index}` }
  ip('link', 'add', ends.here, 'type', 'veth', 'peer', 'name', ends.there, 'netns', namespace)
  ip('addr', 'add', `${here}/30`, 'dev', ends.here)
  ip('link', 'set', ends.here, 'up')
  ip('-n', namespace, 'addr', 'add', `${there}/30`, 'dev', ends.there)
  ip('-n', namespace, 'link', 'set', ends.there, 'up')
  return { here, there, ends }
}

/** A queue that holds nothing drops all that leaves by this end. */
function drop(...where: string[]): void {
  const end = where.pop() ?? ''
  tc(...where, 'qdisc', 'replace', 'dev', end, 'root', 'pfifo', 'limit', '0')
}

function letThrough(...where: string[]): void {
  const end = where.pop() ?? ''
  if (tc(...where, 'qdisc', 'show', 'dev', end).includes('pfifo ')) tc(...where, 'qdisc', 'delete', 'dev', end, 'root')
}

/** Lets other machines reach a port of this machine that listens on its loopback alone. */
async function openRelay(host: string, port: number): Promise<Server> {
  const relay = createServer((there) => {
    const here = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [there, here],
      [here, there],
    ] as const)
      from
        .on('error', () => to.destroy())
        .on('close', () => to.destroy())
        .pipe(to)
  })
  await new Promise<void>((resolve) => relay.listen(port, host, resolve))
  return relay
}

function ip(...args: string[]): void {
  execFileSync('ip', args)
}

function tc(...args: string[]): string {
  return execFileSync('tc', args, { encoding: 'utf8' })
}
