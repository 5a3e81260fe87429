import type { Command } from 'commander'
import type { Emulator, EmulatorOptions } from '../../emulator/emulator.ts'
import { example } from './support/arguments.ts'
import { DEFAULT_WEBHOOK, leaveNote } from './support/running-emulator.ts'
import { openEmulator, portOption } from './support/start-emulator.ts'
import { EXIT } from './support/exit.ts'
import { environment, type Io, pathOf, signingSecret } from './support/io.ts'
import { listenForSignals } from './support/signals.ts'
import { addTemplates, readTemplates, TEMPLATES_OPTION } from './support/template-files.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .addOption(portOption())
    .option('--webhook <url>', "the app's endpoint, registered as the first subscription", DEFAULT_WEBHOOK)
    .option('--secret <secret>', 'its signing secret (env: SWITCHHOOK_SIGNING_SECRET; default: generated)')
    .option('--token <token>', 'the access token of the API (env: SWITCHHOOK_ACCESS_TOKEN; default: generated)')
    .option('--control-token <token>', 'needed for changes and reads through /_emulator (default: generated)')
    .option(...TEMPLATES_OPTION)
    .option('--payloads <folder>', 'send events in the shapes of these recorded payloads (see `payload export`)')
    .option('--json', 'one line of JSON on stdout when it is ready')
    .addHelpText('after', example('switchhook emulator --port 4747 --webhook http://127.0.0.1:3000/webhooks/messages'))
    .action(async (flags: EmulatorFlags) => {
      io.exitCode = await runEmulator(io, flags)
    })
}

interface EmulatorFlags extends Pick<EmulatorOptions, 'secret' | 'token' | 'controlToken' | 'payloads'> {
  readonly port: number
  readonly webhook: string
  readonly templates?: string
  readonly json?: boolean
}

async function runEmulator(io: Io, { json, templates: path, ...flags }: EmulatorFlags): Promise<number> {
  const secret = flags.secret ?? signingSecret(io)
  const token = flags.token ?? environment(io, 'SWITCHHOOK_ACCESS_TOKEN')
  const { webhook, controlToken } = flags
  const templates = await readTemplates(io, path)
  using signals = listenForSignals(io)
  void signals.hurryRequested.then(() => io.process.exit(EXIT.interrupted))
  await using emulator = await openEmulator({
    ...flags,
    ...(flags.payloads !== undefined && { payloads: pathOf(io, flags.payloads) }),
    ...(secret !== undefined && { secret }),
    ...(token !== undefined && { token }),
  })
  await addTemplates(emulator, templates)
  using _note = leaveNote(io, { ...emulator, webhook })
  if (json) io.out(readyLine(emulator))
  else io.err(banner(emulator, webhook, { secret, token, controlToken }))
  return await signals.stopped
}

function readyLine({ url, controlToken, accessToken, signingSecret }: Emulator): string {
  return JSON.stringify({ ready: true, url, controlToken, accessToken, signingSecret })
}

/** Hides secrets that the user passed, because they may also be valid for the real service. */
function banner(
  emulator: Emulator,
  webhook: string,
  given: Readonly<Record<'secret' | 'token' | 'controlToken', string | undefined>>,
): string {
  const shown = (value: string, wasGiven: string | undefined) => (wasGiven === undefined ? value : '(as given)')
  return [
    `Switchhook emulator at ${emulator.url}: no send leaves this machine`,
    `  base address    SWITCHHOOK_BASE_URL=${emulator.url}`,
    `  access token    SWITCHHOOK_ACCESS_TOKEN=${shown(emulator.accessToken, given.token)}`,
    `  signing secret  SWITCHHOOK_SIGNING_SECRET=${shown(emulator.signingSecret, given.secret)}`,
    `  phone number    SWITCHHOOK_PHONE_NUMBER_ID=${emulator.phoneNumberId}`,
    `  events go to    ${webhook}`,
    `  its page        ${emulator.url}/${given.controlToken === undefined ? `#token=${emulator.controlToken}` : ''}`,
    `  control token   ${shown(emulator.controlToken, given.controlToken)}`,
    '  Ctrl-C stops it.',
  ].join('\n')
}
