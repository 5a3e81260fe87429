import { type Connection, openConnection } from '../../../src/store/sqlite/connection.ts'

/** Connections that are counted, and that fail on purpose. */
export interface Connections {
  readonly connect: (file: string) => Connection
  /** All that were opened, the newest last. */
  readonly opened: Connection[]
  /** Commits that were attempted, on any of them. */
  commits: number
  /** How long each transaction and each checkpoint would have waited for another process, in milliseconds. */
  readonly patience: number[]
  /** How many commits fail with this code, before anything is on disk. */
  failing: { code: string; times: number } | undefined
  /** Runs once, as soon as the next commit is on disk. */
  afterCommit: (() => void) | undefined
  /** How many openings fail. */
  refusing: number
  /** Runs on each new connection, for instance to set its limits. */
  prepare: (connection: Connection) => void
}

export function countedConnections(): Connections {
  const connections: Connections = {
    opened: [],
    commits: 0,
    patience: [],
    failing: undefined,
    afterCommit: undefined,
    refusing: 0,
    prepare: () => {},
    connect(file) {
      if (connections.refusing > 0) {
        connections.refusing--
        throw new Error('the file is gone')
      }
      const real = openConnection(file)
      const note = () => connections.patience.push(real.raw.pragma('busy_timeout', { simple: true }) as number)
      const { pragma } = real.raw
      real.raw.pragma = (source, options) => {
        if (source.startsWith('wal_checkpoint')) note()
        return pragma.call(real.raw, source, options)
      }
      const connection: Connection = {
        ...real,
        sql(text) {
          if (text === 'BEGIN IMMEDIATE') note()
          if (text !== 'COMMIT') return real.sql(text)
          connections.commits++
          const failure = connections.failing
          if (!failure || failure.times === 0) return committing(real.sql(text))
          failure.times--
          throw Object.assign(new Error('disk I/O error'), { code: failure.code })
        },
      }
      connections.opened.push(connection)
      connections.prepare(connection)
      return connection
    },
  }
  function committing(statement: ReturnType<Connection['sql']>): ReturnType<Connection['sql']> {
    const then = connections.afterCommit
    if (!then) return statement
    connections.afterCommit = undefined
    const run: typeof statement.run = (...values) => {
      const result = statement.run(...values)
      then()
      return result
    }
    return Object.assign(Object.create(statement) as typeof statement, { run })
  }
  return connections
}
