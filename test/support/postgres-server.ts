import type { TestProject } from 'vitest/node'
import { startPostgres } from './own-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a PostgreSQL server whose databases the tests may make and remove. */
    postgres: string
  }
}

/**
 * Starts one server for a run of the tests, which comes with the repository; with `SWITCHHOOK_TEST_POSTGRES` the tests use
 * the server at that address instead. Where none can start the part is skipped, unless `SWITCHHOOK_TEST_REQUIRES` names it.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const named = process.env['SWITCHHOOK_TEST_POSTGRES']
  project.provide('postgres', named ?? '')
  if (named !== undefined) return undefined
  try {
    const server = await startPostgres(['autovacuum=off'])
    project.provide('postgres', server.url)
    return async () => server[Symbol.asyncDispose]()
  } catch (error) {
    if (process.env['SWITCHHOOK_TEST_REQUIRES'] === 'postgres') throw error
    const { message } = error as Error
    process.stderr.write(`${message}\n`)
    const [reason] = message.split('\n')
    project.provide('missing', `${reason}; SWITCHHOOK_TEST_POSTGRES=postgres://… uses your own server`)
    return undefined
  }
}
