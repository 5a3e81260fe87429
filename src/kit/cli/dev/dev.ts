import type { Command } from 'commander'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { runBesideApp } from './app.ts'
import {
  type Control,
  DEFAULT_PORT,
  DEFAULT_WEBHOOK,
  leaveNote,
  makeFolder,
  openControl,
} from '../support/running-emulator.ts'
import { RefusedForSafety } from '../support/exit.ts'
import { environment, escaped, type Io, pathOf } from '../support/io.ts'
import { deliveryProblem, isSuccess } from '../support/posted-deliveries.ts'
import { listenForSignals } from '../support/signals.ts'
import {
  appEnvironment,
  isLiveEnvironment,
  openEmulator,
  portOption,
  refuseLiveCommand,
} from '../support/start-emulator.ts'
import { addTemplates, readTemplates, TEMPLATES_OPTION } from '../support/template-files.ts'
import { readEventData } from '../../../emulator/http/event-stream.ts'
import type { Happening } from '../../../emulator/timeline.ts'
import { FAILURES_UNTIL_DISABLED } from '../../../service/delivery.ts'
import type { Emulator } from '../../../emulator/emulator.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .argument('[command...]', 'the command that starts the app, after --')
    .addOption(portOption())
    .option(
      '--webhook <url>',
      "the app's endpoint (default: http://127.0.0.1:3000/webhooks/messages, or at PORT if it is set)",
    )
    .option(...TEMPLATES_OPTION)
    .option('--payloads <folder>', 'send events in the shapes of these recorded payloads (see `payload export`)')
    .option('--json', 'one object a line on stdout: {"kind":"ready","url":"…",…}, then each event of the emulator')
    .addHelpText('after', HELP)
    .action(async (command: string[], flags: DevFlags) => {
      io.exitCode = await dev(io, command, flags)
    })
}

const HELP = `
When the app ends, dev ends with its exit code. \`node --watch\` restarts an app when its files change.

Example:
  $ switchhook dev -- node --watch --watch-preserve-output bot.js
`

function defaultWebhook(io: Io): string {
  const port = environment(io, 'PORT')
  const url = new URL(DEFAULT_WEBHOOK)
  if (port !== undefined && port !== '0') url.port = port
  return url.href
}

interface DevFlags {
  readonly port: number
  readonly webhook?: string
  readonly templates?: string
  readonly payloads?: string
  readonly json?: boolean
}

async function dev(io: Io, command: readonly string[], flags: DevFlags): Promise<number> {
  guardAgainstLive(io, command)
  const webhook = flags.webhook ?? defaultWebhook(io)
  const templates = await readTemplates(io, flags.templates)
  using signals = listenForSignals(io)
  await using emulator = await openEmulator({
    port: flags.port,
    webhook,
    ...(flags.payloads !== undefined && { payloads: pathOf(io, flags.payloads) }),
  })
  await addTemplates(emulator, templates)
  using database = databaseForDev(io, emulator)
  using _note = leaveNote(io, { ...emulator, webhook })
  const report = flags.json ? (event: Happening) => io.out(JSON.stringify(event)) : createReports(io, emulator)
  // Open the stream first: a program that reads the line `ready` may act at once, and the stream must report that.
  using _stream = await followStream(openControl({ url: emulator.url, token: emulator.controlToken }), report)
  io.err(banner(emulator, webhook))
  if (flags.json) io.out(JSON.stringify(ready(emulator)))
  if (command.length === 0) return await signals.stopped
  const app = { ...io.env, ...(await appEnvironment(emulator, database.name)) }
  return await runBesideApp(io, command, app, signals)
}

function guardAgainstLive(io: Io, command: readonly string[]): void {
  refuseLiveCommand(command)
  if (!isLiveEnvironment(io)) return
  throw new RefusedForSafety(
    'SWITCHHOOK_BASE_URL names another machine, so this environment and its database may belong to the live service: unset it and SWITCHHOOK_DATABASE',
  )
}

function ready({ url, controlToken, accessToken, signingSecret, phoneNumberId }: Emulator) {
  return { kind: 'ready', url, controlToken, accessToken, signingSecret, phoneNumberId }
}

/**
 * The database that the environment names, otherwise a new one: an old one would know customers that the new emulator
 * does not have.
 *
 * A port other than the default is part of the file's name, so that two apps never share a database. Such a file is
 * removed at the end.
 */
function databaseForDev(io: Io, { url }: Emulator): Disposable & { readonly name: string } {
  const named = environment(io, 'SWITCHHOOK_DATABASE')
  if (named !== undefined) return { name: named, [Symbol.dispose]() {} }
  const folder = makeFolder(io)
  const port = Number(new URL(url).port)
  const file = port === DEFAULT_PORT ? 'dev.db' : `dev-${port}.db`
  const remove = () => {
    for (const name of readdirSync(folder)) if (name.startsWith(file)) rmSync(join(folder, name))
  }
  remove()
  return { name: join(folder, file), [Symbol.dispose]: () => void (port !== DEFAULT_PORT && remove()) }
}

async function followStream(control: Control, onEvent: (happened: Happening) => void): Promise<Disposable> {
  const over = new AbortController()
  const answer = await control.stream(over.signal)
  const read = async () => {
    for await (const data of readEventData(answer)) if (data !== undefined) onEvent(JSON.parse(data) as Happening)
  }
  // `read` rejects when the emulator ends.
  void read().catch(() => undefined)
  return { [Symbol.dispose]: () => over.abort() }
}

/** Prints refused calls, failed deliveries, a moved clock and a disabled endpoint. The page shows everything. */
function createReports(io: Io, emulator: Emulator) {
  const reported = new Set<string>()
  const note = (colour: 'red' | 'dim', text: string) =>
    io.err(styleText(colour, `  ${escaped(text)}`, { stream: io.stderr }))

  /** Prints the first failure of a delivery. Its retries are not printed. */
  async function reportDelivery(id: string): Promise<void> {
    reported.add(id)
    const delivery = (await emulator.deliveries.list()).find((one) => one.id === id)
    const [first] = delivery?.attempts ?? []
    if (first === undefined) return
    const { request, ...outcome } = first
    io.err(`  x not delivered: ${deliveryProblem(request.url, outcome)}\n    ${pageOf(emulator)}&delivery=${id}`)
  }

  return (event: Happening): void => {
    if (event.kind === 'delivery') {
      const { id, attempts, last } = event.delivery
      if (attempts !== 1 || last === undefined || isSuccess(last.status) || reported.has(id)) return
      // `reportDelivery` rejects if the emulator was reset or closed meanwhile.
      reportDelivery(id).catch(() => undefined)
    } else if (event.kind === 'api') {
      const { method, path, status, code } = event
      if (status >= 400) note('red', `x ${status}${code === null ? '' : ` ${code}`}  ${method} ${path}`)
    } else if (event.kind === 'clock') note('dim', `The clock shows ${event.clock.now}.`)
    else if (event.kind === 'subscription' && event.subscription.state === 'disabled')
      note('red', `x ${event.subscription.url} is disabled: ${FAILURES_UNTIL_DISABLED} deliveries in a row failed`)
  }
}

function banner(emulator: Emulator, webhook: string): string {
  return [
    `The emulator runs at ${emulator.url}; no send leaves this machine.`,
    `Deliveries go to ${webhook}. The phone number id is ${emulator.phoneNumberId}.`,
    `Write as a customer on its page: ${pageOf(emulator)}`,
    '',
  ].join('\n')
}

/** The page's address. The token is in the fragment, which a browser never sends. */
function pageOf({ url, controlToken }: Pick<Emulator, 'url' | 'controlToken'>): string {
  return `${url}/#token=${encodeURIComponent(controlToken)}`
}
