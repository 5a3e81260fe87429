import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000
/** Their places in /proc/PID/stat, counted behind the name of the program. */
const PARENT = 1
const TIMES = [11, 12]
const TIMES_OF_ENDED_CHILDREN = [13, 14]

/** Until a process that ends is counted with its parent. */
const ENDING_MS = 200

/** Microseconds of CPU for each of so many: the server's, of all its processes, and this process's own. */
export interface Cost {
  readonly server: number
  readonly client: number
}

/**
 * The cost of handling: without that of the same when there is nothing to do, since a process that works begins once, with
 * its connections, and not for each message.
 *
 * @param handle handles all that waits, and resolves with how many that were.
 */
export async function costOfHandling(postmaster: number, handle: () => Promise<number>): Promise<Cost> {
  let count = 0
  const whole = await costOf(postmaster, async () => (count = await handle()))
  const idle = await costOf(postmaster, async () => {
    await handle()
    return count
  })
  return { server: whole.server - idle.server, client: whole.client - idle.client }
}

/** @param work resolves with how many it did. */
export async function costOf(postmaster: number, work: () => Promise<number>): Promise<Cost> {
  await wait(ENDING_MS)
  const [before, own] = [serverCpu(postmaster), process.cpuUsage()]
  const count = await work()
  const { user, system } = process.cpuUsage(own)
  await wait(ENDING_MS)
  return { server: (serverCpu(postmaster) - before) / count, client: (user + system) / count }
}

/** Microseconds of CPU that a server has taken since its start, with all processes that it has begun and ended. */
export function serverCpu(postmaster: number): number {
  let ticks = 0
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) && statOf(entry)
    if (!stat) continue
    const isPostmaster = Number(entry) === postmaster
    if (!isPostmaster && stat[PARENT] !== postmaster) continue
    for (const at of isPostmaster ? [...TIMES, ...TIMES_OF_ENDED_CHILDREN] : TIMES) ticks += stat[at] ?? 0
  }
  return ticks * TICK_US
}

function statOf(pid: string): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return undefined // it has ended
  }
}
