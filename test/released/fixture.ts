import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ServiceMemory } from '../support/service-memory.ts'
import { root } from '../../tools/run.ts'

/** The moment at which the play begins, by every clock. */
export const BEGINS_AT = Date.parse('2026-03-02T09:00:00Z')

export const isToBeWritten = process.env['SWITCHHOOK_WRITE_FIXTURE'] === '1'

/** The database as a killed process has left it, and the service's knowledge at that moment. */
export interface Fixture {
  readonly image: Buffer
  readonly service: ServiceMemory
}

const folder = join(import.meta.dirname, 'databases')
const ENGINE = process.env['SWITCHHOOK_WORLDS_OVER'] === 'postgres' ? 'postgres' : 'sqlite'
const IMAGE = { sqlite: 'sqlite.db.gz', postgres: 'postgres.sql.gz' }[ENGINE]
const SERVICE = `${ENGINE}.service.json.gz`

/** The version that is being made. */
export const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The releases whose databases are kept. */
export const releases: readonly string[] = readdirSync(folder)

export function readFixture(release: string): Fixture {
  const read = (file: string) => gunzipSync(readFileSync(join(folder, release, file)))
  return { image: read(IMAGE), service: JSON.parse(read(SERVICE).toString()) as ServiceMemory }
}

export function writeFixture({ image, service }: Fixture): void {
  mkdirSync(join(folder, version), { recursive: true })
  writeFileSync(join(folder, version, IMAGE), gzipSync(image))
  writeFileSync(join(folder, version, SERVICE), gzipSync(JSON.stringify(service)))
}
