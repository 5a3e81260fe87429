import type { Emulator } from '../../emulator/index.ts'
import { leaveNote } from '../dev-file.ts'
import { RefusedForSafety } from '../exit.ts'
import { isLiveEnvironment, refuseLiveCommand } from '../live.ts'
import { listenForSignals, type Signals } from '../signals.ts'
import { surroundings } from '../surroundings.ts'
import { openEmulator } from '../usual-emulator.ts'
import { runApp } from './app.ts'
import { banner, pageOf } from './banner.ts'
import { databaseForDev } from './database.ts'
import { type Keeping, keepRunning } from './keep-running.ts'
import { openInBrowser } from './open.ts'
import { endWithReaderOf, type Output, shower } from './output.ts'
import { openPhone } from './phone.ts'
import { listenTo } from './stream.ts'
import { tellUndelivered } from './undelivered.ts'
import { watchFiles } from './watch.ts'

export interface DevFlags {
  readonly port: number
  readonly webhook: string
  readonly customer: string
  readonly output: Output
  /** Globs, or false; absent where nothing was said. */
  readonly watch?: readonly string[] | false
  readonly open?: boolean
  readonly live?: boolean
}

/** `switchhook dev`: answers the exit code. */
export async function dev(command: readonly string[], flags: DevFlags): Promise<number> {
  guard(command, flags)
  using signals = listenForSignals()
  await using emulator = await openEmulator({ port: flags.port, webhook: flags.webhook })
  const database = command.length === 0 ? '' : databaseForDev(flags)
  using _note = leaveNote({ ...emulator, webhook: flags.webhook }, say)
  const interactive = process.stdin.isTTY && process.stderr.isTTY && flags.output !== 'json'
  let print = say
  // Before anybody is told that it is ready: what happens from then on is not missed.
  using _stream = await listenTo(
    emulator.url,
    shower(flags.output, (line) => print(line)),
  )
  endWithReaderOf(flags.output, signals.end)
  if (flags.output !== 'quiet') say(banner(emulator, { ...flags, interactive }))
  if (flags.output === 'json') process.stdout.write(`${JSON.stringify(ready(emulator))}\n`)

  using phone = interactive ? openPhone(emulator, flags.customer, signals.interrupt) : undefined
  if (phone) print = phone.print
  using _undelivered = tellUndelivered(emulator, print)
  if (flags.open) openInBrowser(pageOf(emulator), print)
  if (command.length === 0) return await signals.stopped
  const app = { command, environment: surroundings(emulator, database), waits: waitsFor(flags, interactive) }
  return await besideApp(app, flags, signals, { print, hangUp: () => phone?.[Symbol.dispose]() })
}

interface Beside {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly waits: Keeping['waits']
}

interface Terminal {
  readonly print: (line: string) => void
  readonly hangUp: () => void
}

async function besideApp(
  { command, environment, waits }: Beside,
  flags: DevFlags,
  signals: Signals,
  { print, hangUp }: Terminal,
): Promise<number> {
  const start = () => runApp(command, environment, (line) => print(`  | ${line}`))
  let app: ReturnType<typeof keepRunning> | undefined
  const changed = (file: string) => app?.changed(file)
  await using _watch = flags.watch === false ? undefined : await watchFiles(flags.watch ?? [], { changed, tell: print })
  app = keepRunning({ start, tell: print, waits })
  try {
    const end = await Promise.race([signals.stopped, app.ended])
    if (typeof end === 'number') return end
    print(end.words)
    return end.code
  } finally {
    hangUp()
    const patience = setTimeout(() => print('The app has not ended yet; Ctrl-C kills it.'), 1_000)
    void signals.hurried.then(() => print('The app is killed.'))
    await app.stop(signals)
    clearTimeout(patience)
  }
}

/** Nobody may be there to change anything: then a crash at the start is the end. */
function waitsFor({ watch }: DevFlags, interactive: boolean): Keeping['waits'] {
  if (watch === false) return 'never'
  return interactive || watch !== undefined ? 'always' : 'once_changed'
}

/** An environment of the live service names a database, too, in which nothing that is played may stand. */
function guard(command: readonly string[], { live = false }: DevFlags): void {
  refuseLiveCommand(command)
  if (!isLiveEnvironment() || live) return
  throw new RefusedForSafety(
    'SWITCHHOOK_BASE_URL of this environment is not this machine: it is made for the live service, and so may be its database. Unset it, or say --live to set it and SWITCHHOOK_DATABASE aside',
  )
}

function ready({ url, controlToken, accessToken, signingSecret, phoneNumberId }: Emulator) {
  return { kind: 'ready', url, controlToken, accessToken, signingSecret, phoneNumberId }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
