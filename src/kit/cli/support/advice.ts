import { isPostgres } from '../../../store/postgres/address.ts'
import { shellWord } from './io.ts'

const COMMAND = /\b(?:inbox|outbox|announcement) (?:ls|show|retry|resume|resolve)\b/g

/** Adds `--database` to each command in a text, for users to copy. Hides a PostgreSQL address: it has a password. */
export function advice({ database }: { readonly database?: string | undefined }, text: string): string {
  if (database === undefined) return text
  const name = isPostgres(database) ? 'postgres://…' : shellWord(database)
  return text.replaceAll(COMMAND, (command) => `${command} --database ${name}`)
}
