import { NotUpToDate } from '../../store/types/reader.ts'
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { isPostgres, shownDatabase } from '../../store/postgres/address.ts'
import { lookAtServer, type ServerFacts } from '../../store/postgres/server-facts.ts'
import { openToRead } from '../../store/sqlite/reader.ts'
import { openToLook } from '../support/database.ts'
import { bad, badInProd, doubt, type Finding, note, ok, type Setup, valueOf } from './finding.ts'

const NAME = 'SWITCHHOOK_DATABASE'
const FREE_BYTES = { least: 104_857_600, usual: 1_073_741_824 }

export async function database(setup: Setup): Promise<Finding[]> {
  const address = postgresOf(setup)
  if (address !== undefined) return await postgresFindings(setup, address)
  const given = valueOf(setup, NAME)
  const file = databaseFile(setup)
  if (file === undefined)
    return [
      badInProd(setup, 'database', 'the database is in memory: all is lost with the process', `set ${NAME} to a file`),
    ]
  const folder = dirname(file)
  if (!existsSync(folder))
    return [bad('database', `there is no folder ${folder}`, `make it, or set ${NAME} to another file`)]
  return [fileFinding(setup, file, given), place(statfsSync(folder))]
}

/** The address of the database; undefined if it is a file. */
function postgresOf(setup: Setup): string | undefined {
  const given = valueOf(setup, NAME)
  return given !== undefined && isPostgres(given) ? given : undefined
}

/** The path of the database; undefined if it is in memory. */
function databaseFile(setup: Setup): string | undefined {
  const given = valueOf(setup, NAME)
  return given === ':memory:' ? undefined : resolve(given ?? './switchhook.db')
}

function fileFinding(setup: Setup, file: string, given: string | undefined): Finding {
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
    return doubt(id, `${NAME} depends on the folder in which the app is started: ${file}`, 'write the whole path')
  if (!existsSync(file)) return ok(id, `${file} will be made when the app starts`)
  try {
    openToRead(file).close()
    return ok(id, file)
  } catch (error) {
    return cannotOpen(id, error)
  }
}

export function place({ bavail, bsize }: { bavail: number; bsize: number }): Finding {
  const free = bavail * bsize
  const text = `${Math.floor(free / 1_048_576).toLocaleString('en')} MiB free`
  if (free >= FREE_BYTES.usual) return ok('disk', text)
  const fix = 'make room: without any, deliveries are answered with 503'
  return (free < FREE_BYTES.least ? bad : doubt)('disk', `only ${text}`, fix)
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? reasonOf(error)
}

const OF_A_PROCESS = 6

async function postgresFindings(setup: Setup, address: string): Promise<Finding[]> {
  const id = 'database'
  const opened = await openToLook(address)
    .then((reader) => reader.close())
    .then(
      () => ok(id, shownDatabase(address)),
      (error: unknown) => cannotOpen(id, error),
    )
  const facts = await lookAtServer(address).catch(() => undefined)
  return facts ? [opened, ...serverFindings(setup, facts)] : [opened]
}

export function serverFindings(setup: Setup, facts: ServerFacts): Finding[] {
  return [durability(setup, facts), standbys(facts), connections(facts), rights(facts)].filter(
    (one) => one !== undefined,
  )
}

function durability(setup: Setup, { durable, readOnly }: ServerFacts): Finding {
  const id = 'database-server'
  if (readOnly)
    return bad(id, 'the database may only be read: it is a standby, or set so', 'name the server that writes')
  if (durable) return ok(id, 'what is committed is on its disk')
  return badInProd(
    setup,
    id,
    'fsync or full_page_writes is off: a power cut loses deliveries that were acknowledged, or the database',
    'set both to on',
  )
}

function standbys({ standbys: all, synchronous }: ServerFacts): Finding {
  const id = 'standbys'
  if (all === 0)
    return note(id, 'none that this user can see: what is acknowledged is as safe as the disk of one server')
  if (synchronous > 0) return ok(id, `a commit waits for ${synchronous} of ${all}`)
  return doubt(
    id,
    `no commit waits for one of the ${all}: a failover forgets the last moments, acknowledged deliveries included`,
    'name them in synchronous_standby_names',
  )
}

function connections({ free }: ServerFacts): Finding | undefined {
  if (free >= 2 * OF_A_PROCESS) return undefined
  return doubt(
    'connections',
    `the server has ${free} connections left, and a process uses ${OF_A_PROCESS}, twice as many during a deploy`,
    'raise max_connections, or put a pooler in front',
  )
}

function rights({ mayMigrate }: ServerFacts): Finding | undefined {
  if (mayMigrate) return undefined
  return bad(
    'database-rights',
    'this user may neither make the schema switchhook nor change it',
    'let it own the schema, or GRANT CREATE ON DATABASE to it',
  )
}

/** A database that cannot be opened; one that was written by an older release is migrated by the next start. */
function cannotOpen(id: string, error: unknown): Finding {
  const isMigratedAtStart = error instanceof Error && error.cause instanceof NotUpToDate
  return (isMigratedAtStart ? doubt : bad)(id, reasonOf(error), 'see what is said there')
}
