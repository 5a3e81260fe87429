/**
 * A PostgreSQL server, which each process reaches over its own line, or from a node: lines part and break, connections
 * end, the server crashes.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type FaultyLine, openFaultyLine } from '../../test/support/faulty-line.ts'
import { startPostgres } from '../../test/support/own-postgres.ts'
import { openSlowLine, type SlowLine } from '../../test/support/slow-line.ts'
import { readPostgres } from '../../test/support/read-postgres.ts'
import type { ServerFault, Team, Who } from './decks.ts'
import type { World } from './faults.ts'
import type { Ground } from './ground.ts'
import { NETWORK, type Node, type Nodes, openNodes } from './nodes.ts'

/** Of a point that is passed no more, for one that would stand still later, when nobody wakes it. */
const NEVER_PASSED = -1

/** Errors that nothing which happens here explains, by the first letters of their codes: a deadlock, bad SQL, bad data, damage. */
const NEVER = /^(40P|42|22|XX|58)/
/** After a crash of the server, the answer to a question about a transaction of which nothing was written. */
const NEVER_GIVEN = /^\] 22023 ERROR: {2}transaction ID \d+ is in the future/

/** @param placed the processes of each node; the others are on this machine. */
export async function openServer(
  team: Team,
  placed: readonly (readonly Who[])[] = [],
  roundTripMs = 0,
): Promise<Ground<ServerFault>> {
  await using opened = new AsyncDisposableStack()
  const nodes = placed.length > 0 ? opened.use(openNodes(placed.length)) : undefined
  const nodeOf = (who: Who) => nodes?.all[placed.findIndex((on) => on.includes(who))]
  const settings = ['deadlock_timeout=200ms', ...(nodes ? openTo(nodes, opened) : [])]
  const server = opened.use(await startPostgres(settings, { standby: true }))
  const slow = async (host?: string) => opened.use(await openSlowLine(server.url, roundTripMs, host))
  const { url } = roundTripMs > 0 ? await slow() : server
  const lines = await Promise.all(team.map(async () => opened.use(await openFaultyLine(url))))
  /** The kernels of some machines have no delay for a network: a relay has. */
  const slowLines = new Map<Node, SlowLine>()
  if (roundTripMs > 0) for (const node of nodes?.all ?? []) slowLines.set(node, await slow(node.database))
  const lineOf = (who: Who) => lines[who] as FaultyLine
  const roadOf = (who: Who) => nodeOf(who) ?? lineOf(who)
  const read = (query: string) => readPostgres(server.url, query)
  const end = (which: string) => read(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${which}`)
  const standing = opened.move()
  return {
    environment: (who) => ({
      SWITCHHOOK_DATABASE: addressFor(nodeOf(who)) ?? lineOf(who).url,
      SWITCHHOOK_ROLE: team[who] ?? 'both',
    }),
    nodeOf,
    strike,
    read,
    errors() {
      const codes = [...errorsIn(server.log)].map(([, code = '']) => code)
      return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, same]) => [code, same.length]))
    },
    async damage() {
      const errors = [...errorsIn(server.log)].filter(
        ([line, code = '']) => NEVER.test(code) && !NEVER_GIVEN.test(line),
      )
      return errors.map(([line]) => `the server's log has ${line}`)
    },
    [Symbol.asyncDispose]: () => standing.disposeAsync(),
  }

  function addressFor(node: Node | undefined): string | undefined {
    if (!node) return undefined
    return slowLines.get(node)?.url ?? Object.assign(new URL(server.url), { hostname: node.database }).href
  }

  async function strike(fault: ServerFault, { app, traffic }: World): Promise<number[]> {
    switch (fault.kind) {
      case 'freeze': {
        const frozen = app(fault.who)
        frozen.freeze()
        await wait(fault.ms)
        frozen.wake()
        return [frozen.pid]
      }
      case 'stand': {
        const standing = app(fault.who)
        const stands = standing.reported((report) => report.kind === 'at' && report.what === 'stands')
        standing.order({ do: 'stand', at: fault.at, passage: fault.passage })
        // Without traffic it may never pass there again, and another fault may end it first.
        const isThere = await Promise.race([
          stands.then(
            () => true,
            () => false,
          ),
          traffic.done.then(() => false),
          standing.ended.then(() => false),
        ])
        if (isThere) await wait(fault.ms)
        else standing.order({ do: 'stand', at: fault.at, passage: NEVER_PASSED })
        standing.wake()
        return [standing.pid]
      }
      case 'part': {
        const road = roadOf(fault.who[0] as Who)
        road.part(fault.way)
        await wait(fault.ms)
        road.repair()
        return fault.who.map((who) => app(who).pid)
      }
      case 'line':
        await Promise.race([lineOf(fault.who).breakNext(fault.lost), traffic.done])
        lineOf(fault.who).repair()
        return []
      case 'cut': {
        const node = fault.who === undefined ? undefined : nodeOf(fault.who)
        if (fault.who === undefined) await end(`backend_type = 'client backend' AND pid <> pg_backend_pid()`)
        else if (node && slowLines.has(node)) slowLines.get(node)?.cut()
        else if (node) await end(`client_addr = '${node.own}'`)
        else {
          lineOf(fault.who).cut()
          lineOf(fault.who).repair()
        }
        return []
      }
      case 'crash':
        await server.crash()
        return []
      case 'failover':
        await server.failOver()
        return []
    }
  }
}

function errorsIn(log: readonly string[]) {
  return log.join('').matchAll(/\] (\w{5}) (?:ERROR|FATAL|PANIC): .*/g)
}

/** The settings of a server that nodes reach. */
function openTo({ all }: Nodes, opened: AsyncDisposableStack): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-nodes-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755) // PostgreSQL does not run as root.
  const file = join(folder, 'pg_hba.conf')
  writeFileSync(file, ['127.0.0.1/32', NETWORK].map((from) => `host all,replication all ${from} password\n`).join(''))
  return [`hba_file=${file}`, `listen_addresses=127.0.0.1,${all.map(({ database }) => database).join(',')}`]
}
