import type { TemplateRow } from '../../client/index.ts'
import { isForCodes, takesOf } from '../../content/index.ts'
import { table } from '../table.ts'
import { type ServiceFlags, templatesOf } from './service.ts'

export interface ListFlags extends ServiceFlags {
  readonly sendable?: 'true' | 'false'
  readonly json?: boolean
}

/** `switchhook templates ls`: the number's templates as the service lists them, the newest first. */
export async function list(flags: ListFlags): Promise<void> {
  const rows = await templatesOf(flags, flags.sendable === undefined ? undefined : flags.sendable === 'true')
  if (flags.json) for (const row of rows) process.stdout.write(`${JSON.stringify(shown(row))}\n`)
  else if (rows.length > 0) process.stdout.write(`${table([HEAD, ...rows.map(cells)]).join('\n')}\n`)
  else process.stderr.write('No such template.\n')
}

const HEAD = ['NAME', 'LANGUAGE', 'CATEGORY', 'STATUS', 'SENDABLE', 'PARAMETERS', 'WHY NOT']

function cells(row: TemplateRow): string[] {
  const { name, language, category, status, sendable, unsendable_reason } = row
  return [name, language, category, status, sendable ? 'yes' : 'no', parametersOf(row), unsendable_reason ?? '']
}

function parametersOf(row: TemplateRow): string {
  if (isForCodes(row)) return 'one-time code'
  const takes = takesOf(row)
  if (takes === undefined) return 'not known yet'
  const { header, body, buttons } = takes
  const parts = [
    ...(header === 0 ? [] : [`header ${header}`]),
    ...(body === 0 ? [] : [`body ${body}`]),
    ...(buttons.length === 0 ? [] : [`buttons ${buttons.map((button) => button ?? 'static').join(' + ')}`]),
  ]
  return parts.length > 0 ? parts.join(', ') : 'none'
}

/** `parameters` is null where they are not known yet. */
function shown(row: TemplateRow) {
  const { id, name, language, category, status, sendable, unsendable_reason: unsendableReason } = row
  return { id, name, language, category, status, sendable, unsendableReason, parameters: takesOf(row) ?? null }
}
