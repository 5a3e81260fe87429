import { type Command, Option } from 'commander'
import { TIMESTAMP_TOLERANCE_SECONDS } from '../../service/delivery.ts'
import type { AttemptView, DeliveryView } from '../../emulator/deliver/delivery.ts'
import { isSuccess, type DeliveryResult, printResults } from './support/posted-deliveries.ts'
import { type Control, EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/running-emulator.ts'
import type { Io } from './support/io.ts'

const TAMPERINGS = ['signature', 'body', 'timestamp'] as const

export function addCommand(command: Command, io: Io): void {
  command
    .description('repeat a delivery of the running emulator: the same id and bytes, signed now')
    .argument('<which>', "a delivery's id, last, or failed: all that were not accepted")
    .option('--exact', 'with the original timestamp and signature too')
    .addOption(new Option('--tamper <what>', 'change this part after signing').choices(TAMPERINGS))
    .option('--duplicate', 'two at the same time')
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one object a line on stdout: {"event":"…","id":"01J…","status":200,"ms":23,"ok":true}')
    .addHelpText('after', HELP)
    .action((which, flags) => replay(io, which, flags))
}

const HELP = `
Exit codes: 0 each was answered as expected (2xx; 4xx if it was tampered with or is more than ${TIMESTAMP_TOLERANCE_SECONDS} s old), 1 one was
not, 2 usage, 3 no emulator answers.

Example:
  $ switchhook replay last --tamper signature
`

interface ReplayFlags extends RunningFlags {
  readonly exact?: boolean
  readonly tamper?: (typeof TAMPERINGS)[number]
  readonly duplicate?: boolean
}

async function replay(io: Io, which: string, flags: ReplayFlags): Promise<void> {
  const emulator = runningEmulator(io, flags)
  const found = await chosenDeliveries(emulator, which)
  const copies = flags.duplicate ? 2 : 1
  const outcomes: DeliveryResult[] = []
  for (const delivery of found)
    outcomes.push(...(await Promise.all(Array.from({ length: copies }, () => redeliver(emulator, delivery, flags)))))
  if (outcomes.length === 0) io.err('No delivery has failed.')
  await printResults(io, flags, outcomes)
}

/** @throws Error if the emulator has no delivery with that id, or no deliveries at all. */
async function chosenDeliveries(emulator: Control, which: string): Promise<readonly DeliveryView[]> {
  const { items } = await emulator.get<{ items: readonly DeliveryView[] }>('deliveries')
  if (which === 'failed') return items.filter(hasFailed)
  const found = which === 'last' ? items.at(-1) : items.find(({ id }) => id === which.toUpperCase())
  if (found !== undefined) return [found]
  throw new Error(
    which === 'last'
      ? 'nothing was delivered yet: `switchhook trigger` causes an event'
      : `the emulator has no delivery ${JSON.stringify(which)}; \`last\` is the latest`,
  )
}

function hasFailed({ attempts, state }: DeliveryView): boolean {
  if (state === 'delivered' || (attempts.length === 0 && state !== 'failed')) return false
  return !attempts.some(({ status }) => isSuccess(status))
}

async function redeliver(
  emulator: Control,
  { id, event }: DeliveryView,
  { exact, tamper }: ReplayFlags,
): Promise<DeliveryResult> {
  const { attempt } = await emulator.change<{ attempt: AttemptView }>('POST', `deliveries/${id}/redeliver`, {
    ...(exact && { exact }),
    ...(tamper !== undefined && { tamper }),
  })
  const { status, error, tookMs, request } = attempt
  const about = { event, id, url: request.url, status, ...(error !== undefined && { error }), ms: tookMs }
  return { ...about, mustBeRefused: tamper !== undefined || isStale(request.headers) }
}

function isStale(headers: Readonly<Record<string, string>>): boolean {
  const [, seconds] = Object.entries(headers).find(([name]) => /-timestamp$/i.test(name)) ?? []
  return Math.abs(Math.floor(Date.now() / 1_000) - Number(seconds)) > TIMESTAMP_TOLERANCE_SECONDS
}
