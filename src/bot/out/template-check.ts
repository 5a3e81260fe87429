import { type Clock, endsWithin, type Timers } from '../../base/clock.ts'
import type { Client, TemplateRow } from '../../client/client.ts'
import { componentText, countPlaceholders, isForCodes } from '../../service/approved-template.ts'
import type { SendRequest } from '../../service/contract.ts'

export type TemplateList = ReturnType<typeof createTemplateList>

const FRESH_MS = 10 * 60_000
/** The shortest time between two requests for one name. */
const AGAIN_MS = 5_000
const AFTER_FAILURE_MS = 60_000
/** The longest wait of a reply for the list, because the service checks the template anyway. */
const WAIT_MS = 3_000

interface TemplateListDeps {
  client(): Promise<Client>
  readonly clock: Clock
  readonly timers: Timers
  /** The service is on this machine: a request costs nothing, and a developer who adds a template sends it next. */
  readonly local: boolean
}

/** Undefined if the list is not available now. */
type Rows = readonly TemplateRow[] | undefined

export function createTemplateList(deps: TemplateListDeps) {
  const againMs = deps.local ? 0 : AGAIN_MS
  let rows: Rows
  let askedAt = -Infinity
  const askedFor = new Map<string, number>()
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    askedAt = deps.clock.wall()
    try {
      const found: TemplateRow[] = []
      const client = await deps.client()
      for await (const row of client.templates.iterate()) found.push(row)
      rows = found
    } catch {
      // The known rows stay. If something is wrong with the number, the service reports it when the message is sent.
    }
    asking = undefined
  }

  return {
    /** All rows, at most ten minutes old. */
    async all(): Promise<Rows> {
      if (deps.clock.wall() - askedAt >= (rows ? FRESH_MS : AFTER_FAILURE_MS))
        await endsWithin(WAIT_MS, deps.timers, (asking ??= ask()))
      return rows
    },
    /** One row per language. If none is `asWanted` they are requested again: a template may be new or released. */
    async named(name: string, asWanted: (rows: readonly TemplateRow[]) => boolean): Promise<Rows> {
      const now = deps.clock.wall()
      for (const [other, at] of askedFor) if (now - at >= againMs) askedFor.delete(other)
      const known = rows?.filter((row) => row.name === name)
      if (known && !asWanted(known) ? askedFor.has(name) : now - askedAt < (known ? FRESH_MS : AFTER_FAILURE_MS))
        return known
      askedFor.set(name, now)
      await endsWithin(WAIT_MS, deps.timers, (asking ??= ask()))
      return rows?.filter((row) => row.name === name)
    },
  }
}

/** Why the service would refuse it, by its own list. `withCode`: it is sent as a one-time code, which is not stored. */
export function templateProblem(
  send: SendRequest,
  rows: readonly TemplateRow[],
  withCode: boolean,
): string | undefined {
  const name = send.template_name ?? ''
  const language = send.template_language ?? ''
  if (rows.length === 0)
    return `the template "${name}" does not exist on this number; \`switchhook templates pull\` prints the types of existing ones`
  const row = rows.find((one) => one.language === language)
  if (!row)
    return `the template "${name}" does not exist in "${language}", only in ${rows.map((one) => one.language || 'a language missing from the list').join(', ')}; there is no fallback to another language`
  // Judged by category, because a template that is not yet synchronised shows neither text nor code button (OTP-07).
  if (carriesCode(send, rows) && !withCode)
    return `the template "${name}" contains a one-time code, which must not be stored: send it with oneTimeCode()`
  // Templates in review state FLAGGED or LOCKED are sendable: the member `sendable` decides, not the state (TPL-04).
  if (!row.sendable)
    return `the template "${name}" (${language}) cannot be sent now: ${row.unsendable_reason ?? row.status}`
  return countProblem(send, row)
}

export function carriesCode(send: SendRequest, rows: readonly TemplateRow[]): boolean {
  return rows.some((row) => row.language === send.template_language && isForCodes(row))
}

/** Only if the list shows a text, because a template that is not yet synchronised has none (TPL-05). */
function countProblem(send: SendRequest, row: TemplateRow): string | undefined {
  for (const part of ['header', 'body'] as const) {
    const text = componentText(row, part)
    if (text === undefined) continue
    const wanted = countPlaceholders(text)
    const given = (send.template_components ?? [])
      .filter(({ type }) => type === part)
      .flatMap(({ parameters }) => parameters ?? [])
      .filter(({ type }) => type === 'text').length
    if (wanted !== given)
      return `the ${part} of the template "${send.template_name}" needs ${wanted} parameters, but ${given} were passed`
  }
  return undefined
}
