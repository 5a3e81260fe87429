import { SwitchhookError } from '../../base/errors.ts'
import { readInput } from '../read-input.ts'
import { runningEmulator } from '../running-emulator.ts'
import type { StateFlags } from './export.ts'

/** `switchhook state import`: the emulator goes on from a state that was kept. */
export async function importState(file: string, flags: StateFlags): Promise<void> {
  const state = parsed(await readInput(file, 'import'), file)
  const clock = await runningEmulator(flags).change<{ now: string }>('PUT', 'state', state)
  tell(clock, flags, `The emulator goes on from ${file === '-' ? 'there' : file}`)
}

/** `switchhook state reset`: the emulator as it began. */
export async function resetState(flags: StateFlags): Promise<void> {
  const clock = await runningEmulator(flags).change<{ now: string }>('DELETE', 'state')
  tell(clock, flags, 'The emulator is as it began')
}

function tell(clock: { readonly now: string }, { json }: StateFlags, words: string): void {
  if (json) process.stdout.write(`${JSON.stringify(clock)}\n`)
  process.stderr.write(`${words}; its clock says ${clock.now}.\n`)
}

function parsed(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw new SwitchhookError('options_invalid', `${file} is no JSON, so no state`, { cause: error })
  }
}
