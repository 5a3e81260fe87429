import type { PostgresPool } from './pool.ts'
import { askServer } from './session.ts'

/** The clock of the server, by which all processes of a database agree on leases and waits. */
export interface ServerClock {
  /** Milliseconds since the epoch, by the server. */
  now(): number
  /** Looks at the server's clock again. Never throws: a server that does not answer changes nothing. */
  look(): Promise<void>
}

/**
 * If the machine's clock is further from the server's than this, the log says so, and says so again once the distance
 * has changed by as much.
 */
const FAR_MS = 2_000
/** An answer that took longer says too little about the machine's clock. */
const VAGUE_MS = 1_000

/**
 * Reads the server's clock, and carries its time on by a clock that nobody sets: a machine whose own clock is wrong, or is
 * set while it works, neither takes the lanes of others nor loses its own.
 *
 * @throws DatabaseFault if the server does not answer.
 */
export async function openServerClock(o: {
  pool: PostgresPool
  monotonic: () => number
  machine: () => number
  say?: ((line: string) => void) | undefined
}): Promise<ServerClock> {
  let ahead: number | undefined
  let told = 0
  let looking: Promise<void> | undefined

  const now = () => Math.floor(o.monotonic() + (ahead ?? 0))

  async function read(): Promise<void> {
    const sent = o.monotonic()
    const { time } = await askServer<{ time: number }>(o.pool, TIME)
    const received = o.monotonic()
    // The server read its clock between these two moments: a time that fits one of them says nothing new.
    const [least, most] = [time - received, time - sent]
    ahead = Math.min(Math.max(ahead ?? (least + most) / 2, least), most)
    if (received - sent <= VAGUE_MS) compare(o.machine() - now())
  }

  function compare(off: number): void {
    if (Math.abs(off) <= FAR_MS) told = 0
    else if (Math.abs(off - told) > FAR_MS) o.say?.(farOff((told = off)))
  }

  await read()
  return {
    now,
    look: () =>
      (looking ??= read()
        .catch(() => {})
        .finally(() => {
          looking = undefined
        })),
  }
}

const TIME = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time'

function farOff(off: number): string {
  const seconds = Math.round(Math.abs(off) / 1_000)
  return (
    `this machine's clock is ${seconds} s ${off > 0 ? 'ahead of' : 'behind'} that of the database's server: leases and ` +
    "waits go by the server's, the age of signatures by this machine's; set both by NTP"
  )
}
