import { isPostgres } from '../../../store/postgres/address.ts'
import { shellWord } from './io.ts'

const COMMAND = /\b(?:inbox|outbox|announcement) (?:ls|show|retry|resume|resolve)\b/g

/** Adds the flag `--database` to commands in a text, so that they can be copied. An address may contain a password. */
export function advice({ database }: { readonly database?: string | undefined }, text: string): string {
  if (database === undefined) return text
  const name = isPostgres(database) ? 'postgres://…' : shellWord(database)
  return text.replaceAll(COMMAND, (command) => `${command} --database ${name}`)
}
