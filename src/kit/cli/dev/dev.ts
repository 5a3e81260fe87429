import { type Command, InvalidArgumentError, Option } from 'commander'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf, SwitchhookError } from '../../../base/errors.ts'
import { type KeepRunningOptions, runBesideApp } from './app.ts'
import {
  addresses,
  banner,
  createActivityPrinter,
  createFailureReport,
  firstLines,
  followStream,
  type Output,
  OUTPUTS,
} from './output.ts'
import { openPhone, type Phone } from './terminal.ts'
import { collect, readCustomer } from '../support/arguments.ts'
import { DEFAULT_WEBHOOK, FOLDER, isAlive, leaveNote, makeFolder, openControl } from '../support/running-emulator.ts'
import { RefusedForSafety } from '../support/exit.ts'
import { environment, type Io, isInteractive, onBrokenPipe } from '../support/io.ts'
import { listenForSignals } from '../support/signals.ts'
import {
  appEnvironment,
  isLiveEnvironment,
  openEmulator,
  portOption,
  refuseLiveCommand,
} from '../support/start-emulator.ts'
import { addTemplates, readTemplates, TEMPLATES_OPTION } from '../support/template-files.ts'
import type { Emulator } from '../../../emulator/emulator.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .argument('[command...]', 'the command that starts the app, after --')
    .addOption(portOption())
    .option(
      '--webhook <url>',
      "the app's endpoint (default: http://127.0.0.1:3000/webhooks/messages, or at PORT if it is set)",
    )
    .option('--customer <digits>', 'your phone number as the customer: 6 to 20 digits', readCustomer, '255712000101')
    .option(
      '--watch <path>',
      'restart the app when this file or folder changes, instead of its sources; may be repeated',
      collect,
    )
    .option('--no-watch', 'do not restart the app when its sources change')
    .addOption(new Option('--output <form>', 'the format of the output').choices(OUTPUTS).default('pretty'))
    .option(...TEMPLATES_OPTION)
    .option('--numbers <ids>', "the ids of the business's numbers: ID,ID; ID:TOKEN has its own token", readNumbers)
    .option('--payloads <folder>', 'send events in the shapes of these recorded payloads (see `payload export`)')
    .option('--verbose', 'show the wire in a terminal too: deliveries, statuses and calls beside the conversation')
    .option('--live', "ignore the live service's address and database in the environment")
    .addHelpText('after', HELP)
    .action(async (command: string[], flags: DevFlags) => {
      io.exitCode = await dev(io, command, flags)
    })
}

/** The default endpoint, on the port that PORT names, because many apps listen there. */
function defaultWebhook(io: Io): string {
  const port = environment(io, 'PORT')
  const url = new URL(DEFAULT_WEBHOOK)
  if (port !== undefined && port !== '0') url.port = port
  return url.href
}

/**
 * Refuses to start if another program listens on the app's port: the app could not listen, and that program would
 * answer.
 */
async function checkFree(webhook: string): Promise<void> {
  if (!(await listensAt(webhook))) return
  throw new SwitchhookError(
    'port_in_use',
    `a program listens at ${new URL(webhook).origin} already. Stop it, or choose other ports: PORT=3001 for the app, SWITCHHOOK_EMULATOR_PORT=4848 for the emulator`,
  )
}

const HELP = `
With --output json, stdout has one object a line: first {"kind":"ready","url":"…",…}, then each event of the emulator's
stream.

An app that ends is restarted at the next change. Before the first change, without a terminal and without
--watch, its exit code is passed on.

Example:
  $ switchhook dev -- node bot.js
`

interface DevFlags {
  readonly port: number
  readonly webhook?: string
  readonly customer: string
  readonly output: Output
  /** Files and folders; false with --no-watch; absent without either flag. */
  readonly watch?: readonly string[] | false
  readonly templates?: string
  readonly numbers?: readonly WantedNumber[]
  readonly payloads?: string
  readonly verbose?: boolean
  readonly live?: boolean
}

async function dev(io: Io, command: readonly string[], flags: DevFlags): Promise<number> {
  guardAgainstLive(io, command, flags)
  const webhook = flags.webhook ?? defaultWebhook(io)
  // With PORT=0 the app chooses a free port itself.
  if (command.length > 0 && flags.webhook === undefined && io.env['PORT'] !== '0') await checkFree(webhook)
  const templates = await readTemplates(io, flags.templates)
  using signals = listenForSignals()
  await using emulator = await openEmulator({
    port: flags.port,
    webhook,
    ...(flags.payloads !== undefined && { payloads: flags.payloads }),
  })
  const numbers = await connectNumbers(emulator, flags.numbers)
  await addTemplates(emulator, templates, numbers)
  const database = command.length === 0 ? '' : databaseForDev(io, flags)
  using _note = leaveNote({ ...emulator, webhook }, io.err)
  const interactive = isInteractive(io) && flags.output !== 'json'
  let print = io.err
  let phone: Phone | undefined
  let showsWire = flags.verbose === true || !interactive
  const printActivity = createActivityPrinter(io, flags.output, {
    print: (line) => print(line),
    showsWire: () => showsWire,
    showsCustomer: (customer) => phone?.shows(customer) === true,
  })
  const reportFailure = createFailureReport(emulator, (line) => print(line))
  // The stream opens before `ready` is printed, so that no later event is missed.
  using _stream = await followStream(openControl({ url: emulator.url, token: emulator.controlToken }), (event) => {
    printActivity(event)
    reportFailure(event)
  })
  // The program that reads the JSON may exit.
  if (flags.output === 'json') onBrokenPipe(signals.end)
  if (interactive && flags.output === 'pretty') io.err(firstLines(emulator))
  else if (flags.output !== 'quiet') io.err(banner(emulator, { ...flags, webhook, numbers }))
  if (flags.output === 'json') io.out(JSON.stringify(ready(emulator)))

  const toggleWire = () => {
    showsWire = !showsWire
    print(showsWire ? '  The wire is shown; Ctrl-T hides it.' : '  The wire is hidden; Ctrl-T shows it.')
  }
  if (interactive) {
    const about = { customer: flags.customer, numbers, addresses: addresses(emulator, webhook, numbers) }
    phone = openPhone(io, emulator, { ...about, hangUp: signals.interrupt, toggleWire })
  }
  using _phone = phone
  if (phone) print = phone.print
  using redelivery = redeliverToApp(emulator, webhook)
  if (command.length === 0) {
    redelivery.started()
    return await signals.stopped
  }
  const environment = { ...io.env, ...(await appEnvironment(emulator, database)) }
  const app = { command, environment, restartAfterExit: restartFor(flags, interactive), watch: flags.watch }
  return await runBesideApp(app, {
    print,
    signals,
    showsWire: () => showsWire,
    started: redelivery.started,
    closePhone: () => phone?.[Symbol.dispose](),
  })
}

/** A connected number as `--numbers` names it. Without a token it shares the first number's. */
interface WantedNumber {
  readonly id: string
  readonly accessToken?: string
}

const FORM = /^(\d{1,30})(?::([\x21-\x2b\x2d-\x7e]+))?$/

/** Reads `ID,ID`, each with its own access token if it has one: `ID:TOKEN`. */
function readNumbers(text: string): WantedNumber[] {
  const numbers = text.split(',').map((one) => {
    const [, id, accessToken] = FORM.exec(one.trim()) ?? []
    if (id === undefined) throw new InvalidArgumentError('It must be ids in digits: 109871234500011,109871234500012.')
    return { id, ...(accessToken !== undefined && { accessToken }) }
  })
  if (new Set(numbers.map(({ id }) => id)).size === numbers.length) return numbers
  throw new InvalidArgumentError('The ids must differ.')
}

async function connectNumbers(emulator: Emulator, wanted: readonly WantedNumber[] | undefined): Promise<string[]> {
  const { numbers } = await (wanted ? emulator.account.set({ numbers: wanted }) : emulator.account.get())
  return numbers.map(({ id }) => id)
}

/**
 * Without a terminal or --watch nobody may be there to fix the app, so a crash at the first start ends the command.
 */
function restartFor({ watch }: DevFlags, interactive: boolean): KeepRunningOptions['restartAfterExit'] {
  if (watch === false) return 'never'
  return interactive || watch !== undefined ? 'always' : 'once_changed'
}

/** Refuses an environment of the live service, because its database must not receive messages of an emulator. */
function guardAgainstLive(io: Io, command: readonly string[], { live = false }: DevFlags): void {
  refuseLiveCommand(command)
  if (!isLiveEnvironment(io) || live) return
  throw new RefusedForSafety(
    'SWITCHHOOK_BASE_URL names another machine, so this environment and its database may belong to the live service. Unset it, or pass --live to ignore it and SWITCHHOOK_DATABASE',
  )
}

function ready({ url, controlToken, accessToken, signingSecret, phoneNumberId }: Emulator) {
  return { kind: 'ready', url, controlToken, accessToken, signingSecret, phoneNumberId }
}

const LOOK_EVERY_MS = 100

interface Redelivery extends Disposable {
  /** Call this when the app has been started. Failed deliveries are delivered again as soon as it listens. */
  started(): void
}

/**
 * Redelivers failed deliveries as soon as the app listens after a start. The service's own retries can take minutes,
 * and a developer is waiting for an answer.
 */
export function redeliverToApp(
  { deliveries }: Pick<Emulator, 'deliveries'>,
  webhook: string,
  listens = listensAt,
): Redelivery {
  let latest = new AbortController()
  const retryOnceUp = async ({ signal }: AbortController) => {
    while (!(await listens(webhook))) await sleep(LOOK_EVERY_MS, undefined, { signal })
    if (!signal.aborted) await deliveries.retry()
  }
  return {
    started() {
      // An app that crashes at each start is waited for once.
      latest.abort()
      latest = new AbortController()
      retryOnceUp(latest).catch(() => undefined)
    },
    [Symbol.dispose]: () => latest.abort(),
  }
}

export async function listensAt(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname.replace(/^\[|\]$/g, ''))
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * The app's database: the one that the environment names, unless it belongs to the `live` service, or else a fresh one
 * for development. The fresh one is empty because the emulator starts empty too: yesterday's state (a customer who
 * typed `BOT`, an open order) would not fit today's customers.
 */
export function databaseForDev(io: Io, { live = false }: { readonly live?: boolean }): string {
  const named = live ? undefined : environment(io, 'SWITCHHOOK_DATABASE')
  if (named !== undefined) return named
  try {
    makeFolder()
    accessSync(FOLDER, constants.W_OK | constants.X_OK)
    const file = claimFile()
    removeOldFiles(file)
    return `${FOLDER}/${file}`
  } catch (error) {
    throw new SwitchhookError(
      'store_unavailable',
      `the folder for the app's database, ${resolve(FOLDER)}, cannot be created or written ` +
        `(${(error as NodeJS.ErrnoException).code ?? reasonOf(error)}); SWITCHHOOK_DATABASE names another place`,
      { cause: error },
    )
  }
}

/**
 * The first file name that no other running `dev` in this folder has claimed: two apps on one database would answer
 * each other's customers. The claim is a file beside the database that holds the pid of its owner.
 */
function claimFile(): string {
  for (let nth = 1; ; nth++) {
    const file = nth === 1 ? 'dev.db' : `dev.${nth}.db`
    const claim = join(FOLDER, `${file}.owner`)
    removeOldClaim(claim)
    try {
      writeFileSync(claim, String(process.pid), { flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    process.once('exit', () => rmSync(claim, { force: true }))
    return file
  }
}

function removeOldClaim(claim: string): void {
  const owner = existsSync(claim) ? Number(readFileSync(claim, 'utf8')) : 0
  // An empty claim is being written at this moment.
  if (owner !== 0 && (owner === process.pid || !isAlive(owner))) rmSync(claim, { force: true })
}

function removeOldFiles(file: string): void {
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(file) && name !== `${file}.owner`) rmSync(join(FOLDER, name))
}
