import type { Role } from '../receive/bot-internals.ts'
import {
  checkMembers,
  type Environment,
  expecting,
  oneOf,
  type OptionTable,
  settingsOf,
  type Variable,
  variable,
} from './option-table.ts'

export interface StartOptions {
  /**
   * The part of the work that this process does, if several processes share one database and run the same code.
   * `'receive'` verifies, stores and answers deliveries, and leaves handlers and sends to others; `'work'` handles and sends, and
   * answers each delivery with 503; `'both'`, the default, does all of it. Default: `SWITCHHOOK_ROLE`.
   */
  role?: Role
  /**
   * The database was restored from a backup: sends that may have gone out since the backup was taken are held, until a
   * person releases them. It counts for this start alone; default: `SWITCHHOOK_RESTORED=1`. Without it a restore is noticed
   * if `<database>.generation` beside the file shows that an older copy took its place, or if sends are open and the file
   * was brought here. Not noticed: a backup of the last hour that was written over the same file, and a snapshot of a disk.
   */
  restored?: boolean
}

const OPTIONS = {
  role: {
    check: oneOf('both', 'receive', 'work'),
    environment: variable('SWITCHHOOK_ROLE') as Variable<Role>,
    setting: (given) => given ?? 'both',
  },
  restored: {
    check: expecting('true or false', (value) => typeof value === 'boolean'),
    environment: {
      name: 'SWITCHHOOK_RESTORED',
      read: (environment) => (environment['SWITCHHOOK_RESTORED'] === '1' ? true : undefined),
    },
    setting: (given) => given ?? false,
  },
} satisfies OptionTable<StartOptions>

/** @throws SwitchhookError `options_invalid` */
export function startSettings(asked: StartOptions, environment: Environment) {
  checkMembers(asked, 'start()', OPTIONS)
  return settingsOf(OPTIONS, asked, environment)
}
