import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { isLoopback } from '../../base/host.ts'
import { isRecord, parseJson } from '../../base/value.ts'
import { type Accepted, createClient } from '../../client/client.ts'
import { built, type Content, type Template } from '../../service/content.ts'
import { unmarked } from '../../service/recipient.ts'
import { template } from '../../service/template.ts'
import { BASE_URL_OPTION, collect, readCustomer, type ServiceFlags, TOKEN_OPTION } from './support/arguments.ts'
import { EMULATOR_OPTIONS, type RunningFlags } from './support/running-emulator.ts'
import { RefusedForSafety } from './support/exit.ts'
import { readInput } from './support/files.ts'
import { environment, type Io } from './support/io.ts'
import { rethrow, serviceAddress } from './support/service.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('send one message through the API; without an address, to the running emulator')
    .requiredOption('--to <digits>', 'the recipient', readCustomer)
    .option('--text <text>', 'a text')
    .option('--template <name>', 'a template')
    .option('--language <code>', 'its language, such as sw or en_US')
    .option('--param <text>', "the values of the body's {{1}}, {{2}} …, one flag for each", collect, [])
    .option('--data <file>', 'the body as JSON, without `to`; - for stdin')
    .option('--key <key>', 'the idempotency key: derived from what the message is about, never random')
    .option(...BASE_URL_OPTION)
    .option(...TOKEN_OPTION)
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--live', 'needed if the address is not this machine: a phone rings')
    .option('--json', "one line of JSON on stdout: the service's answer")
    .addHelpText('after', HELP)
    .action((flags) => send(io, flags))
}

const HELP = `
If the address is not this machine, the recipient must be in SWITCHHOOK_ALLOWED_RECIPIENTS. Exit codes: 0 accepted,
1 refused, 2 usage, 3 no emulator answers, 4 it would reach a phone.

Example:
  $ switchhook send --to 255712000101 --text 'Order 7781 is ready'
`

interface SendFlags extends ServiceFlags, RunningFlags, ContentFlags {
  readonly to: string
  readonly key?: string
  readonly live?: boolean
}

async function send(io: Io, flags: SendFlags): Promise<void> {
  const content = await contentFrom(io, flags)
  const address = await serviceAddress(io, flags)
  if (!isLoopback(address.baseUrl)) refuseUnlessMeant(io, address.baseUrl, flags)
  // Without a key the client does not repeat a send whose outcome is unknown.
  const accepted = await createClient(address)
    .messages.send(flags.to, content, { idempotencyKey: flags.key ?? null })
    .catch((error: unknown) => rethrow(error, address))
  io.out(flags.json ? JSON.stringify(accepted.message) : acceptedText(accepted))
}

function acceptedText({ message, status, replayed }: Accepted): string {
  const again = replayed ? '; this key was sent before, so nothing was sent now' : ''
  return `${message.id}  accepted${status === undefined ? '' : `, ${status}`}${again}`
}

function refuseUnlessMeant(io: Io, baseUrl: string, { to, live }: SendFlags): void {
  const where = URL.parse(baseUrl)?.origin ?? 'the address'
  if (!live)
    throw new RefusedForSafety(
      `${where} is not this machine, so a phone would ring: pass --live if you mean that, or use the emulator (\`switchhook dev\`)`,
    )
  if (!isAllowed(io, to))
    throw new RefusedForSafety('the recipient is not in SWITCHHOOK_ALLOWED_RECIPIENTS: add it there')
}

function isAllowed(io: Io, to: string): boolean {
  const listed = environment(io, 'SWITCHHOOK_ALLOWED_RECIPIENTS')?.split(',') ?? []
  return listed.some((one) => unmarked(one) === to)
}

interface ContentFlags {
  readonly text?: string
  readonly template?: string
  readonly language?: string
  readonly param: readonly string[]
  readonly data?: string
}

/** @throws SwitchhookError `options_invalid` unless the flags describe exactly one content, which can be read. */
async function contentFrom(io: Io, flags: ContentFlags): Promise<Content | Template> {
  const { text, data, language, param } = flags
  if ([text, flags.template, data].filter((one) => one !== undefined).length !== 1)
    throw optionsInvalid('nothing to send: pass one of --text, --template and --data')
  if (flags.template === undefined && (language !== undefined || param.length > 0))
    throw optionsInvalid('--language and --param need --template')
  if (data !== undefined) return fromData(await readInput(io, data, '--data'))
  if (flags.template !== undefined) {
    if (language === undefined) throw optionsInvalid('--template needs --language')
    return template(flags.template, language, param.length > 0 ? { body: param } : undefined)
  }
  return text ?? ''
}

/** Reads the body of a send as the service expects it, but without `to`. */
function fromData(bytes: Buffer): Content {
  const body = parseJson(bytes.toString('utf8'))
  if (!isRecord(body) || 'to' in body)
    throw optionsInvalid(
      '--data: expected a JSON object without `to`, such as {"type":"text","text":"hello"}; --to names it',
    )
  return built({ kind: 'text' as const }, { type: 'text', ...body })
}
