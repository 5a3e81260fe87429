import type { Command } from 'commander'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { apiAddress } from '../../client/options.ts'
import { ENDPOINTS, PHONE_NUMBER_ID } from '../../contract/index.ts'
import { DEFAULT_ASSUMPTIONS } from '../../emulator/model/assumptions.ts'
import { description } from '../../emulator/service/openapi.ts'
import { example } from '../support/arguments.ts'
import { EXIT, OutOfReach } from '../support/exit.ts'
import { environment, type Io } from '../support/io.ts'
import { oneLine } from '../support/output.ts'
import { BASE_URL_OPTION, PHONE_NUMBER_ID_OPTION, type ServiceFlags, TOKEN_OPTION } from '../support/service.ts'
import { type Description, isDescription, treeOf } from './description.ts'
import { type Difference, differences } from './tree.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .addHelpText('after', EXAMPLE)
    .command('diff')
    .description('print how a live openapi.json differs from the built-in contract; exits with 1 if it does')
    .option(...BASE_URL_OPTION)
    .option(...TOKEN_OPTION)
    .option(...PHONE_NUMBER_ID_OPTION)
    .option('--json', 'one object a line on stdout: {"kind":"changed","place":"POST /messages body text",…}')
    .addHelpText('after', EXAMPLE)
    .action((flags) => diff(io, flags))
}

const EXAMPLE = example('switchhook contract diff --base-url https://service.example')

interface DiffFlags extends ServiceFlags {
  readonly json?: boolean
}

const LONGEST_MS = 30_000

/** Prints how a live description differs from the built-in contract; exits with 1 if it does. */
async function diff(io: Io, flags: DiffFlags): Promise<void> {
  const live = await fetchDescription(io, flags)
  const found = differences(treeOf(description(DEFAULT_ASSUMPTIONS)), treeOf(live))
  const real = found.filter(({ kind }) => kind !== 'silent')
  for (const one of flags.json ? found : real)
    io.stdout.write(flags.json ? `${JSON.stringify(one)}\n` : `${oneLine(differenceText(one))}\n`)
  if (!flags.json) io.err(summary(real.length, found.length - real.length))
  io.exitCode = real.length > 0 ? EXIT.failed : EXIT.done
}

function differenceText({ kind, place, what, builtIn, live }: Difference): string {
  if (kind === 'new') return `+ ${place}: the built-in contract does not know it`
  if (kind === 'missing') return `- ${place}: the live description does not have it`
  return `~ ${place}: ${what} is ${live ?? 'not set'} there, ${builtIn ?? 'not set'} in the built-in contract`
}

function summary(real: number, silent: number): string {
  const said =
    real === 0
      ? 'The live description agrees with the built-in contract.'
      : `${real} differences; the live description prevails.`
  return silent === 0 ? said : `${said} It is silent on ${silent} statuses, codes or headers (--json lists them).`
}

async function fetchDescription(io: Io, flags: DiffFlags): Promise<Description> {
  const baseUrl = flags.baseUrl ?? environment(io, 'SWITCHHOOK_BASE_URL')
  const token = flags.token ?? environment(io, 'SWITCHHOOK_ACCESS_TOKEN')
  const number = flags.phoneNumberId ?? environment(io, 'SWITCHHOOK_PHONE_NUMBER_ID')
  if (baseUrl === undefined)
    throw new SwitchhookError('environment_missing', 'the service is needed: SWITCHHOOK_BASE_URL (or --base-url)')
  const address = apiAddress(baseUrl) + ENDPOINTS.description.path
  const headers = {
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(number !== undefined && { [PHONE_NUMBER_ID]: number }),
  }
  const answer = await request(address, headers)
  if (answer.status !== 200)
    throw new Error(
      `${address} answered ${answer.status}: ${REMEDIES[answer.status] ?? 'is it the service’s address?'}`,
    )
  const json = await answer.json().catch(() => undefined)
  if (!isDescription(json)) throw new Error(`what stands at ${address} is no OpenAPI 3 description`)
  return json
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'give the number’s token: SWITCHHOOK_ACCESS_TOKEN (or --token)',
  402: 'the team’s plan has no API access',
  403: 'the workspace is suspended, or the number is not this token’s',
  404: 'is it the service’s base address?',
}

async function request(address: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(LONGEST_MS) })
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error
    const why = (cause as NodeJS.ErrnoException).code ?? reasonOf(cause)
    throw new OutOfReach(`nothing answers at ${address} (${why})`, undefined)
  }
}
