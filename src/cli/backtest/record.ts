import { unrepeated } from '../../backtest/compare.ts'
import type { Recording, Runs, WorldOptions } from '../../backtest/recording.ts'
import type { ScenarioTemplate } from '../../testing/play/file.ts'
import { writeNewFile } from '../support/files.ts'
import type { Io } from '../support/io.ts'
import { readTemplates } from '../support/template-files.ts'
import { runTwice, warnOfFailed, warnOfRefused } from './run-twice.ts'
import type { Source } from './from-database.ts'
import { readSource, type SourceFlags } from './source.ts'

interface RecordFlags extends SourceFlags {
  readonly out: string
  readonly templates?: string
  readonly allow?: readonly string[]
  readonly json?: boolean
}

/** Plays recorded deliveries twice through the app as it is, and writes them down with all that it said. */
export async function record(io: Io, command: readonly string[], flags: RecordFlags): Promise<void> {
  const { deliveries, conversations, left } = await readSource(io, flags, Date.now())
  const templates = await templatesFor(io, flags)
  const world: WorldOptions = { templates, conversations, allow: flags.allow ?? [] }
  await writeNewFile(flags.out, async () => {
    const runs = await runTwice(io, command, world, deliveries)
    tell(io, { deliveries, left }, runs, flags)
    const recordedAt = new Date().toISOString()
    const recording: Recording = { switchhook: 1, kind: 'backtest', recordedAt, world, deliveries, runs }
    return `${JSON.stringify(recording)}\n`
  })
}

function tell(
  io: Io,
  { deliveries, left }: Pick<Source, 'deliveries' | 'left'>,
  runs: Runs,
  { out, json }: RecordFlags,
): void {
  const notRepeatable = unrepeated(deliveries, runs)
  const [{ refused }] = runs
  if (json) io.out(JSON.stringify({ out, played: deliveries.length, left, notRepeatable, refused }))
  else io.err(recordedText(deliveries.length, left, notRepeatable, out))
  warnOfFailed(io, deliveries, runs)
  warnOfRefused(io, runs)
}

async function templatesFor(io: Io, { templates }: RecordFlags): Promise<readonly ScenarioTemplate[]> {
  if (templates === undefined) return []
  const files = await readTemplates(io, templates)
  // The emulator checks them as it is given them.
  return files.flatMap((file) => file.templates as unknown as readonly ScenarioTemplate[])
}

function recordedText(played: number, left: Source['left'], notRepeatable: readonly string[], out: string): string {
  const without = [
    left.statuses > 0 && `${left.statuses} statuses of what was sent then`,
    left.own > 0 && `${left.own} messages that went out then`,
    left.unreadable > 0 && `${left.unreadable} that are no JSON objects`,
  ].filter(Boolean)
  const leftOut = without.length > 0 ? ` Left out: ${without.join(', ')}.` : ''
  const twice = notRepeatable.length > 0 ? ` ${notRepeatable.length} were not answered twice alike.` : ''
  return `${played} ${played === 1 ? 'delivery' : 'deliveries'} played, in ${out} with all texts.${leftOut}${twice}`
}
