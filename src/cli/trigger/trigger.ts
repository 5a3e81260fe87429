import { SwitchhookError } from '../../base/errors.ts'
import { EVENT_NAME_FORM, EVENTS } from '../../contract/index.ts'
import { firstAttempts } from '../deliveries/await.ts'
import type { ReceiverFlags } from '../deliveries/receiver.ts'
import { exitCodeFor, explain, tell } from '../deliveries/told.ts'
import { nearest } from '../near.ts'
import { type RunningFlags, runningEmulator } from '../running-emulator.ts'
import { postTo } from './direct.ts'
import { listEvents } from './list.ts'
import { type Payload, payloadsFrom } from './payload.ts'
import { happen } from './happen.ts'

export interface TriggerFlags extends RunningFlags, ReceiverFlags {
  readonly from: string
  readonly text?: string
  readonly tap?: string
  readonly set: readonly string[]
  readonly data?: string
  readonly times: number
  readonly url?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** `switchhook trigger`: delivers an event, and exits with 1 where a delivery was not taken. */
export async function trigger(named: string | undefined, flags: TriggerFlags): Promise<void> {
  check(named, flags)
  const next = await payloadsFrom(named, flags)
  if (next === undefined) return listEvents(flags)
  if (flags.dryRun) return show(next(), flags)
  doubt(named)
  const payloads = Array.from({ length: flags.times }, next)
  const told =
    flags.url === undefined ? await throughEmulator(payloads, flags) : await postTo(flags.url, payloads, flags)
  for (const one of told) tell(one, flags)
  explain(told)
  process.exitCode = exitCodeFor(told)
}

/** A receiver must take any event, so any can be fired; but a slip of the pen is seen. */
function doubt(named = ''): void {
  const [meant] = Object.hasOwn(EVENTS, named) ? [] : nearest(named, Object.keys(EVENTS))
  if (meant !== undefined) process.stderr.write(`The service names no event ${named}; is ${meant} meant?\n`)
}

async function throughEmulator(payloads: readonly Payload[], flags: TriggerFlags) {
  const emulator = runningEmulator(flags)
  const ids: string[] = []
  for (const payload of payloads) ids.push(...(await happen(emulator, payload, flags)))
  if (ids.length === 0)
    throw new Error(
      'it happened, and nobody was told: no endpoint is active (too many deliveries failed in a row, or none is registered), or this event is switched off',
    )
  return await firstAttempts(emulator, ids)
}

/** Nothing goes out: the payload alone, as it would be delivered. */
function show({ event, body }: Payload, { json }: TriggerFlags): void {
  const text = body.toString('utf8')
  if (json) process.stdout.write(`${JSON.stringify({ event, body: text })}\n`)
  else process.stdout.write(`${readable(text)}\n`)
  process.stderr.write(`Nothing was delivered. ${event} comes in several shapes; --set works on this one.\n`)
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text.trimEnd()
  }
}

function check(named: string | undefined, { text, tap, data, set }: TriggerFlags): void {
  const wrong = (message: string) => new SwitchhookError('options_invalid', message)
  if (named !== undefined && !EVENT_NAME_FORM.test(named))
    throw wrong(
      `an event's name is made of letters, digits, dots, dashes and underscores, got ${JSON.stringify(named)}`,
    )
  const given = [text, tap, data].filter((one) => one !== undefined).length
  if (given > 1) throw wrong('--text, --tap and --data exclude each other')
  if ((text !== undefined || tap !== undefined) && named !== undefined && named !== 'message.received')
    throw wrong(`--text and --tap are of message.received, not of ${named}`)
  if (named === undefined && data === undefined && (given > 0 || set.length > 0))
    throw wrong('name the event: `switchhook trigger` lists those that the service names')
}
