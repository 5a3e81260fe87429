/** A PostgreSQL server, which each process reaches over a line of its own: lines part and break, connections end, the server crashes. */
import { setTimeout as wait } from 'node:timers/promises'
import { type FaultyLine, openFaultyLine } from '../stores/postgres/faulty-line.ts'
import { startPostgres } from '../support/own-postgres.ts'
import { readPostgres } from '../support/read-postgres.ts'
import type { ServerFault, Team } from './decks.ts'
import type { World } from './faults.ts'
import type { Ground } from './ground.ts'

/** Errors that nothing which happens here explains, by the first letters of their codes: a deadlock, bad SQL, bad data, damage. */
const NEVER = /^(40P|42|22|XX|58)/

export async function openServer(team: Team): Promise<Ground<ServerFault>> {
  const server = await startPostgres(['deadlock_timeout=200ms'])
  const lines = await Promise.all(team.map(() => openFaultyLine(server.url)))
  const lineOf = (who: number) => lines[who] as FaultyLine
  const read = (query: string) => readPostgres(server.url, query)
  return {
    environment: (who) => ({ SWITCHHOOK_DATABASE: lineOf(who).url, SWITCHHOOK_ROLE: team[who] ?? 'both' }),
    strike,
    read,
    async damage() {
      const codes = server.log.join('').matchAll(/\] (\w{5}) (?:ERROR|FATAL|PANIC): .*/g)
      const errors = [...codes].filter(([, code = '']) => NEVER.test(code))
      return errors.map(([line]) => `the server's log has ${line}`)
    },
    async [Symbol.asyncDispose]() {
      for (const line of lines) await line[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
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
      case 'part':
        lineOf(fault.who).part()
        await wait(fault.ms)
        lineOf(fault.who).mend()
        return [app(fault.who).pid]
      case 'line':
        await Promise.race([lineOf(fault.who).breakNext(fault.lost), traffic.done])
        lineOf(fault.who).mend()
        return []
      case 'cut':
        if (fault.who === undefined)
          await read(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
        else {
          lineOf(fault.who).cut()
          lineOf(fault.who).mend()
        }
        return []
      case 'crash':
        await server.crash()
        return []
    }
  }
}
