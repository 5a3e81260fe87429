import { shownDatabase } from '../../stores/postgres/address.ts'
import { lookAtServer, type ServerFacts } from '../../stores/postgres/server-facts.ts'
import { openToLook } from '../support/database.ts'
import { bad, badInProd, doubt, type Finding, note, ok, type Setup, cannotOpen } from './finding.ts'

/** The connections that one process takes. */
const OF_A_PROCESS = 6

/** Checks a database at an address: that it opens, and what its server promises. */
export async function postgresFindings(setup: Setup, address: string): Promise<Finding[]> {
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

/** Findings about the server that holds the database, of what it says of itself. */
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
    `the server has ${free} connections left, and a process takes ${OF_A_PROCESS}, twice as many during a deploy`,
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
