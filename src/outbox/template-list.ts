import { type Clock, endsWithin, type Timers } from '../base/clock.ts'
import type { Client, TemplateRow } from '../client/index.ts'

/** What the service's list says of the templates of one number, as of a while ago. */
export interface TemplateList {
  /**
   * The rows of that name, one per language; undefined where the list cannot be had now. Where they are not
   * `asWanted`, the list is asked for anew, so that a verdict is never older than a minute.
   */
  named(name: string, asWanted: (rows: readonly TemplateRow[]) => boolean): Promise<readonly TemplateRow[] | undefined>
}

const FRESH_MS = 10 * 60_000
/** What was not found is asked again, and a list that could not be had: not more often than this. */
const AGAIN_MS = 60_000
/** Nobody's reply waits longer for it: the service judges a template in any case. */
const WAIT_MS = 3_000

export function createTemplateList(o: { client: Client; clock: Clock; timers: Timers }): TemplateList {
  let rows: readonly TemplateRow[] | undefined
  let askedAt = -Infinity
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    askedAt = o.clock.wall()
    try {
      const found: TemplateRow[] = []
      for await (const row of o.client.templates.iterate()) found.push(row)
      rows = found
    } catch {
      // What was known stays known; the service will say what is wrong with the number when it is sent.
    }
    asking = undefined
  }

  return {
    async named(name, asWanted) {
      const age = o.clock.wall() - askedAt
      const known = rows?.filter((row) => row.name === name)
      const enough = known !== undefined && asWanted(known)
      if (enough ? age >= FRESH_MS : age >= AGAIN_MS) await endsWithin(WAIT_MS, o.timers, (asking ??= ask()))
      return rows?.filter((row) => row.name === name)
    },
  }
}
