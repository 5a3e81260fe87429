import type { DriverClient, PostgresPool } from './pool.ts'

/** The connections of what may take minutes, for a close that does not wait for it. */
export interface Interruptible extends PostgresPool {
  /** Ends them: the server finishes an index that it makes, and finds nobody who waits. */
  interrupt(): void
}

export function interruptible(pool: PostgresPool): Interruptible {
  const taken = new Set<() => void>()
  let interrupted = false
  return {
    async connect() {
      const client: DriverClient = await pool.connect()
      const end = () => {
        release(true)
        // One that sends ahead says goodbye only when all is answered.
        client.connection?.stream.destroy()
      }
      const release = (destroy?: boolean) => {
        // Whoever has the connection gives it back once more.
        if (taken.delete(end)) client.release(destroy)
      }
      taken.add(end)
      if (interrupted) end()
      return clientOf(client, release)
    },
    interrupt() {
      interrupted = true
      for (const end of taken) end()
    },
  }
}

function clientOf(client: DriverClient, release: DriverClient['release']): DriverClient {
  return {
    query: (query) => client.query(query),
    on: (event, listener) => client.on(event, listener),
    removeListener: (event, listener) => client.removeListener(event, listener),
    pipeline: client.pipeline === true,
    processID: client.processID ?? null,
    release,
  }
}
