import { SwitchhookError } from '../base/errors.ts'
import type { PhoneChoice } from '../emulator/model/thread.ts'

/**
 * The id of an option by its id or its title: sealed ids are not to be known by heart. The newest that fits.
 *
 * @throws SwitchhookError `options_invalid`, naming what there is.
 */
export function idOf(option: string, choices: readonly PhoneChoice[]): string {
  const found = choices.find(({ id }) => id === option) ?? choices.find(({ title }) => title === option)
  if (found) return found.id
  const there = choices.map(({ title }) => `"${title}"`).join(', ') || 'nothing'
  throw new SwitchhookError('options_invalid', `the phone shows no option "${option}"; to tap there is: ${there}`)
}
