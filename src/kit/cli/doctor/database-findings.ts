import { accessSync, constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { causeOf, readError, reasonOf } from '../../../base/errors.ts'
import { isPostgres, shownDatabase } from '../../../store/postgres/address.ts'
import { lookAtServer, type ServerState } from '../../../store/postgres/postgres-reader.ts'
import { backUp } from '../../../store/sqlite/backup.ts'
import { isDamage, REPAIR } from '../../../store/sqlite/connection.ts'
import { openToRead } from '../../../store/sqlite/sqlite-reader.ts'
import { temporaryFolder } from '../support/files.ts'
import { openForReading } from '../support/open-database.ts'
import { environment } from '../support/io.ts'
import { bad, badInProd, doubt, type Finding, ok, type Setup } from './finding.ts'
import { NotUpToDate } from '../../../store/database/schema.ts'

const NAME = 'SWITCHHOOK_DATABASE'

export async function database(setup: Setup): Promise<Finding[]> {
  const given = environment(setup, NAME)
  try {
    if (given !== undefined) isPostgres(given)
  } catch (error) {
    return [bad('database', reasonOf(error), `correct ${NAME}`)]
  }
  if (given !== undefined && isPostgres(given)) return await postgresFindings(setup, given)
  const inMemory = 'the database is in memory: its data is lost when the process ends'
  if (given === ':memory:') return [badInProd(setup, 'database', inMemory, `set ${NAME} to a file`)]
  const file = resolve(given ?? './switchhook.db')
  const folder = dirname(file)
  if (!existsSync(folder))
    return [bad('database', `the folder ${folder} does not exist`, `create it, or set ${NAME} to another file`)]
  return [await fileFinding(setup, file, given)]
}

async function fileFinding(setup: Setup, file: string, given: string | undefined): Promise<Finding> {
  const id = 'database'
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK)
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    return bad(
      id,
      `${file} or its folder cannot be written (${codeOf(error)})`,
      'let the user who runs the app write both: SQLite keeps files beside it',
    )
  }
  if (given !== undefined && !isAbsolute(given) && setup.prod)
    return doubt(id, `${NAME} depends on the folder in which the app is started: ${file}`, 'write the full path')
  if (!existsSync(file)) return ok(id, `${file} will be created when the app starts`)
  try {
    openToRead(file).close()
    return await pagesFinding(id, file)
  } catch (error) {
    return cannotOpen(id, error)
  }
}

/** Checks a copy. A check may take minutes, and meanwhile the write-ahead log of the checked file cannot be emptied. */
async function pagesFinding(id: string, file: string): Promise<Finding> {
  try {
    using folder = temporaryFolder('doctor')
    await backUp(file, join(folder.path, 'copy.db'))
    return ok(id, file)
  } catch (error) {
    const cause = causeOf(error)
    if (isDamage(cause)) return bad(id, `${file} is damaged: ${reasonOf(cause)}`, REPAIR)
    return doubt(id, `${file} is not checked for damage: ${reasonOf(error)}`, `make room in ${tmpdir()}, or set TMPDIR`)
  }
}

function codeOf(error: unknown): string {
  return readError(error).code || reasonOf(error)
}

async function postgresFindings(setup: Setup, address: string): Promise<Finding[]> {
  const id = 'database'
  const opened = await openForReading(address)
    .then((reader) => reader.close())
    .then(
      () => ok(id, shownDatabase(address)),
      (error: unknown) => cannotOpen(id, error),
    )
  const facts = await lookAtServer(address).catch(() => undefined)
  return facts ? [opened, serverFinding(setup, facts)] : [opened]
}

export function serverFinding(setup: Setup, { durable, readOnly }: ServerState): Finding {
  const id = 'database-server'
  if (readOnly)
    return bad(
      id,
      'the database is read-only: it is a standby or configured so',
      'use the address of the primary server',
    )
  if (durable) return ok(id, 'commits are on its disk')
  return badInProd(
    setup,
    id,
    'fsync or full_page_writes is off: a power cut loses acknowledged deliveries, or the database',
    'set both to on',
  )
}

/** Only a warning if an older release wrote the database: the next start of the app migrates it. */
function cannotOpen(id: string, error: unknown): Finding {
  const isMigratedAtStart = causeOf(error) instanceof NotUpToDate
  return (isMigratedAtStart ? doubt : bad)(id, reasonOf(error), 'do what the message says')
}
