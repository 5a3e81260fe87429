import { SwitchhookError } from '../../base/errors.ts'
import { isLoopback } from '../../base/host.ts'
import { createClient, NoAnswerError, type TemplateRow } from '../../client/index.ts'
import { OutOfReach } from '../support/exit.ts'
import { environment, type Io } from '../support/io.ts'
import type { ServiceFlags } from '../support/service.ts'

/** Lists all templates of the number, newest first, or only the sendable or unsendable ones. */
export async function templatesOf(io: Io, flags: ServiceFlags, sendable?: boolean): Promise<TemplateRow[]> {
  const { baseUrl, ...number } = settingsFrom(io, flags)
  const { templates } = createClient({ baseUrl, ...number })
  const rows: TemplateRow[] = []
  try {
    for await (const row of templates.iterate({ sendable, limit: 100 })) rows.push(row)
  } catch (error) {
    if (!(error instanceof NoAnswerError) || !OUT_OF_REACH.has(error.reason) || !isLoopback(baseUrl)) throw error
    throw new OutOfReach(`${error.message}; does the emulator run there? \`switchhook emulator\` starts it`, error)
  }
  return rows
}

const OUT_OF_REACH: ReadonlySet<NoAnswerError['reason']> = new Set(['connection', 'timeout'])

function settingsFrom(io: Io, flags: ServiceFlags) {
  const baseUrl = flags.baseUrl ?? environment(io, 'SWITCHHOOK_BASE_URL')
  const accessToken = flags.token ?? environment(io, 'SWITCHHOOK_ACCESS_TOKEN')
  const phoneNumberId = flags.phoneNumberId ?? environment(io, 'SWITCHHOOK_PHONE_NUMBER_ID')
  if (baseUrl !== undefined && accessToken !== undefined) return { baseUrl, accessToken, phoneNumberId }
  const missing = [
    ...(baseUrl === undefined ? ['SWITCHHOOK_BASE_URL (or --base-url)'] : []),
    ...(accessToken === undefined ? ['SWITCHHOOK_ACCESS_TOKEN (or --token)'] : []),
  ]
  throw new SwitchhookError(
    'environment_missing',
    `the number's templates cannot be read without: ${missing.join('; ')}`,
  )
}
