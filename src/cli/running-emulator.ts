import { SwitchhookError } from '../base/errors.ts'
import { isLoopback } from '../base/loopback.ts'
import { type Control, openControl } from './control.ts'
import { DEV_FILE, readNote } from './dev-file.ts'
import { environment } from './environment.ts'

/** The options that name the running emulator, for every command that works on it. */
export const EMULATOR = [
  '--emulator <url>',
  `where it runs (env: SWITCHHOOK_EMULATOR; default: as ${DEV_FILE} says, else http://127.0.0.1:4747)`,
] as const
export const CONTROL_TOKEN = [
  '--control-token <token>',
  `what changes of it need (env: SWITCHHOOK_CONTROL_TOKEN; default: as ${DEV_FILE} says)`,
] as const

export interface RunningFlags {
  readonly emulator?: string
  readonly controlToken?: string
}

/** Where an emulator listens, and where it delivers, unless it is told otherwise. */
export const DEFAULT_PORT = 4747
export const DEFAULT_WEBHOOK = 'http://127.0.0.1:3000/webhooks/messages'

/** The emulator that runs on this machine: by flag, environment, the folder's own note, or the usual port. */
export function runningEmulator(flags: RunningFlags): Control {
  const named = flags.emulator ?? environment('SWITCHHOOK_EMULATOR')
  const { note, stale } = readNote()
  const url = named === undefined ? (note?.url ?? `http://127.0.0.1:${DEFAULT_PORT}`) : readAddress(named)
  // The note's token is for the note's emulator; another program is not shown it.
  const noted = note?.url === url ? note.controlToken : undefined
  const token = flags.controlToken ?? environment('SWITCHHOOK_CONTROL_TOKEN') ?? noted
  return openControl({ url, token, hint: stale ? `; the one that ${DEV_FILE} names has ended` : '' })
}

function readAddress(text: string): string {
  const url = URL.parse(text)
  // It listens there, whatever else the name `localhost` may mean.
  if (url?.hostname === 'localhost') url.hostname = '127.0.0.1'
  if (url?.protocol === 'http:' && isLoopback(url.href)) return url.origin
  throw new SwitchhookError(
    'options_invalid',
    '--emulator: expected the address of an emulator on this machine, such as http://127.0.0.1:4747',
  )
}
