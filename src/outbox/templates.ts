import { type Clock, endsWithin, type Timers } from '../base/clock.ts'
import type { Client, TemplateRow } from '../client/index.ts'
import { componentText, countPlaceholders, isForCodes } from '../content/approved-template.ts'
import type { SendRequest } from '../contract/index.ts'

export interface TemplateList {
  /**
   * The rows of that name, one per language; undefined if the list cannot be had now. Rows that are not `asWanted` are
   * asked for again, so that a template counts once it is added or released.
   */
  named(name: string, asWanted: (rows: readonly TemplateRow[]) => boolean): Promise<readonly TemplateRow[] | undefined>
}

const FRESH_MS = 10 * 60_000
/** A name whose rows are not as wanted makes the list be asked for no more often than this. */
const AGAIN_MS = 5_000
/** A list that could not be had is left alone for so long: the service judges what is sent meanwhile. */
const AFTER_FAILURE_MS = 60_000
/** A reply does not wait longer for the list, since the service judges the template in any case. */
const WAIT_MS = 3_000

interface TemplateListDeps {
  client(): Promise<Client>
  readonly clock: Clock
  readonly timers: Timers
  /** The service is on this machine: asking costs nothing, and a developer who adds a template sends it next. */
  readonly local: boolean
}

export function createTemplateList(deps: TemplateListDeps): TemplateList {
  const againMs = deps.local ? 0 : AGAIN_MS
  let rows: readonly TemplateRow[] | undefined
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
      // The known rows stay. If something is wrong with the number, the service says so when the message is sent.
    }
    asking = undefined
  }

  return {
    async named(name, asWanted) {
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

/**
 * Says why the service would refuse a send of this template, by its own list; undefined if it would not.
 *
 * @param withCode true if the template is sent as a one-time code, which is not kept.
 */
export function templateProblem(
  send: SendRequest,
  rows: readonly TemplateRow[],
  withCode: boolean,
): string | undefined {
  const name = send.template_name ?? ''
  const language = send.template_language ?? ''
  if (rows.length === 0)
    return `there is no template "${name}" on this number; \`switchhook templates pull\` prints the types of those it has`
  const row = rows.find((one) => one.language === language)
  if (!row)
    return `the template "${name}" is not there in "${language}", only in ${rows.map((one) => one.language || 'a language that the list does not tell').join(', ')}; no other language is taken instead`
  // Judged by category, since a template that is not yet synchronised shows neither text nor code button (OTP-07).
  if (carriesCode(send, rows) && !withCode)
    return `the template "${name}" carries a one-time code, which must not be kept: send it with oneTimeCode()`
  // Templates in review state FLAGGED or LOCKED are sendable: the member `sendable` counts, not the state (TPL-04).
  if (!row.sendable)
    return `the template "${name}" (${language}) would not be sent now: ${row.unsendable_reason ?? row.status}`
  return countProblem(send, row)
}

export function carriesCode(send: SendRequest, rows: readonly TemplateRow[]): boolean {
  return rows.some((row) => row.language === send.template_language && isForCodes(row))
}

/** Parameters are counted only if the list shows a text: a template not yet synchronised has none (TPL-05). */
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
      return `the ${part} of the template "${send.template_name}" takes ${wanted} parameters, and ${given} were given`
  }
  return undefined
}
