import type { Command } from 'commander'
import { FAILURES_UNTIL_DISABLED } from '../../contract/delivery.ts'
import { example, readPort } from '../support/arguments.ts'
import { EXIT } from '../support/exit.ts'
import { environment, type Io } from '../support/io.ts'
import { type OutputFlags, printList } from '../support/output.ts'
import { database, waiting } from './database.ts'
import { port, service, webhook } from './service.ts'
import { type Finding, note, type Setup } from './finding.ts'
import { node, options } from './options.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description(
      "check the set-up by the app's environment: a line each, with what to change; exits with 1 if one is bad",
    )
    .option('--prod', 'be as strict as production needs')
    .option('--webhook <url>', 'the address that the service delivers to; it gets one unsigned POST')
    .option('--port <port>', 'the port on which the app listens; default: PORT, else 3000', readPort)
    .option('--json', 'one object a line on stdout: {"id":"clock","state":"ok","says":"…"}')
    .addHelpText('after', example('switchhook doctor --prod --webhook https://shop.example/webhooks/messages'))
    .action((flags) => doctor(io, flags))
}

interface DoctorFlags extends OutputFlags {
  readonly prod?: boolean
  readonly webhook?: string
  readonly port?: number
}

/** Checks the set-up, prints each finding with advice, and exits with 1 if one is bad. */
async function doctor(io: Io, flags: DoctorFlags): Promise<void> {
  const { prod = false, webhook: address, port = Number(environment(io, 'PORT') ?? 3000) } = flags
  const setup = { environment: io.env, prod, webhook: address, port, now: Date.now }
  if (!flags.json) io.err(`${INTRO}${address === undefined ? '' : INTRO_WEBHOOK}; nobody is sent anything.`)
  const findings = await examine(setup)
  await printList(io, flags, findings, ['state', 'id', 'says', 'mend'])
  io.exitCode = findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.done
}

const INTRO = 'Looks at the environment, and asks the service for its templates'

const INTRO_WEBHOOK = ', and the webhook with one unsigned POST'

export async function examine(setup: Setup): Promise<Finding[]> {
  const findings = [
    node(process.versions.node, process.versions['napi']),
    ...options(setup),
    ...(await service(setup)),
    ...(await database(setup)),
    await waiting(setup),
    await port(setup),
    await webhook(setup),
    ...NOTES,
  ]
  return findings.filter((one) => one !== undefined)
}

/** Facts that no check can find and that have surprised people. */
const NOTES: readonly Finding[] = [
  note(
    'retention',
    "by default deliveries' bytes are kept 7 days after handling, ids 30 (the option retention); what waits, is parked or dead stays",
  ),
  note(
    'agent',
    "each message that the app sends pauses the service's own AI agent for that customer; where that agent is on, it answers the same messages as the app",
  ),
  note(
    'missed-events',
    `missed events cannot be fetched later: after ${FAILURES_UNTIL_DISABLED} failed deliveries in a row the service disables the endpoint, and what it could not deliver is gone`,
  ),
]
