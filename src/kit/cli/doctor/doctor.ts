import type { Command } from 'commander'
import { settingsFrom, startSettings } from '../../../bot/options.ts'
import { reasonOf } from '../../../base/errors.ts'
import { FAILURES_UNTIL_DISABLED } from '../../../service/delivery.ts'
import { example } from '../support/arguments.ts'
import { EXIT } from '../support/exit.ts'
import { environment, type Io } from '../support/io.ts'
import { type OutputFlags, printList } from '../support/output.ts'
import { database } from './database-findings.ts'
import { bad, badInProd, type Finding, note, ok, type Setup } from './finding.ts'
import { service, webhook } from './service-findings.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description(
      "check the set-up by the app's environment: a line each, with what to change; exits with 1 if one is bad",
    )
    .option('--prod', 'apply the requirements of production')
    .option('--webhook <url>', 'the address that the service delivers to; it gets one unsigned POST')
    .option('--json', 'one object a line on stdout: {"id":"clock","state":"ok","says":"…"}')
    .addHelpText('after', example('switchhook doctor --prod --webhook https://shop.example/webhooks/messages'))
    .action((flags) => doctor(io, flags))
}

interface DoctorFlags extends OutputFlags {
  readonly prod?: boolean
  readonly webhook?: string
}

async function doctor(io: Io, flags: DoctorFlags): Promise<void> {
  const { prod = false, webhook: address } = flags
  const probe = address === undefined ? '' : ', and sends one unsigned POST to the webhook'
  if (!flags.json) io.err(`Checks the environment and lists the service's templates${probe}. Nobody gets a message.`)
  const findings = await examine({ env: io.env, prod, webhook: address })
  await printList(io, flags, findings, ['state', 'id', 'says', 'fix'])
  io.exitCode = findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.done
}

export async function examine(setup: Setup): Promise<Finding[]> {
  return [...options(setup), ...(await service(setup)), ...(await database(setup)), await webhook(setup), ...NOTES]
}

/** Facts that no check can find, and that surprise people. */
const NOTES: readonly Finding[] = [
  note(
    'agent',
    "if the service's own AI agent is on, it answers the same messages as the app; each message that the app sends pauses it for that customer",
  ),
  note(
    'missed-events',
    `missed events cannot be fetched later: after ${FAILURES_UNTIL_DISABLED} failed deliveries in a row the service disables the endpoint, and undelivered events are lost`,
  ),
]

// ── options ─────────────────────────────────────────────────────────────────────────────────────────

const TOKEN = 'SWITCHHOOK_ACCESS_TOKEN'
const SECRETS = 'SWITCHHOOK_SIGNING_SECRET'
const SHORTEST_SECRET_CHARACTERS = 16

function options(setup: Setup): Finding[] {
  const { env, prod } = setup
  try {
    const { local, development, headerPrefix, allowedRecipients: allowed } = settingsFrom({}, env)
    const { role } = startSettings({}, env)
    const to = local ? 'an emulator' : allowed ? `${allowed.size} allowed recipients` : 'everybody'
    const findings = [
      ok('options', `the app starts with role ${role}, header prefix ${headerPrefix}, and sends to ${to}`),
      ...credentialFindings(setup),
    ]
    if (environment(setup, TOKEN) === undefined)
      findings.push(
        badInProd(setup, 'access-token', `${TOKEN} is not set, so the app cannot send`, 'copy it from the dashboard'),
      )
    if (prod && local)
      findings.push(
        bad('base-url', 'the service is this machine, so no send reaches a phone', "set the service's address"),
      )
    if (prod && development)
      findings.push(
        bad(
          'environment',
          'NODE_ENV is not production',
          'set NODE_ENV=production, or only allowed recipients get messages',
        ),
      )
    return findings
  } catch (error) {
    return [bad('options', reasonOf(error), 'the app does not start before this is set'), ...credentialFindings(setup)]
  }
}

function credentialFindings(setup: Setup): Finding[] {
  const secrets = (environment(setup, SECRETS) ?? '').split(',').map((one) => ({ name: SECRETS, value: one.trim() }))
  const all = [...secrets, { name: TOKEN, value: environment(setup, TOKEN) ?? '' }]
  return all.flatMap(({ name, value }) => {
    const id = name === TOKEN ? 'access-token' : 'signing-secret'
    if (/^bearer\s|^["'`]|["'`]$|[^\x21-\x7e]/i.test(value))
      return [bad(id, `${name} contains "Bearer", quotes, white space or non-ASCII letters`, 'copy only the value')]
    if (value === '' || value.length >= SHORTEST_SECRET_CHARACTERS) return []
    return [
      badInProd(setup, id, `${name} has fewer than ${SHORTEST_SECRET_CHARACTERS} characters`, 'copy the whole value'),
    ]
  })
}
