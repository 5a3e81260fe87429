import { isRecord } from '../base/value.ts'
import type { PostgresPool } from '../stores/postgres/index.ts'
import { expecting, isText, type Option, variable, type Variable } from './option-table.ts'

/** A file, an address, or a pool of the app's own; the environment can name the first two. */
export const databaseOption = {
  check: expecting(
    'a file, an address postgres://…, or a pool of the package pg',
    (value) => isText(value) || (isRecord(value) && typeof value['connect'] === 'function'),
  ),
  environment: variable('SWITCHHOOK_DATABASE') as Variable<string | PostgresPool>,
  setting: (given: string | PostgresPool = './switchhook.db') => given,
} satisfies Option<string | PostgresPool>
