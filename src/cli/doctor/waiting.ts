import { existsSync } from 'node:fs'
import { openToLook } from '../support/database.ts'
import { databaseFile, postgresOf } from './database.ts'
import { doubt, type Finding, ok, type Setup } from './finding.ts'

const LONG_MS = 60_000

/** Says for how long the message whose turn is next has waited; undefined if the database cannot be read. */
export async function waiting(setup: Setup): Promise<Finding | undefined> {
  const address = postgresOf(setup)
  const file = databaseFile(setup)
  if (address === undefined && (file === undefined || !existsSync(file))) return undefined
  const id = 'waiting'
  try {
    const reader = await openToLook(address ?? String(file))
    try {
      const now = setup.now()
      const since = await reader.waitingSince(now)
      if (since === undefined) return ok(id, 'no message waits for its handler')
      const seconds = Math.max(0, Math.floor((now - since) / 1_000))
      const says = `the message whose turn is next has waited for ${seconds.toLocaleString('en')} s`
      if (now - since < LONG_MS) return ok(id, says)
      return doubt(
        id,
        says,
        'if the app runs, its handlers hang or get less done than comes: see its log, and the option lanes',
      )
    } finally {
      await reader.close()
    }
  } catch {
    // The finding about the database says why.
    return undefined
  }
}
