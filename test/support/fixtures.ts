import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseBody, readBody } from '../../src/bot/inbox/payload/read-body.ts'
import { pathsOf } from '../../src/view/fact-paths.ts'

/** A fixture of a payload, with the paths at which this reader finds its facts. */
export function fixtureOf(event: string, body: string) {
  const parsed = parseBody(Buffer.from(body))
  const reading = readBody(Buffer.from(body), { event, deliveryId: undefined, now: Date.parse('2026-03-04T10:00:00Z') })
  if (!('json' in parsed && 'views' in reading)) throw new Error(`no payload: ${body}`)
  const [view] = reading.views
  return { event, facts: view ? pathsOf(view, parsed.json) : {}, payload: parsed.json }
}

export function writeFixtures(folder: string, fixtures: readonly object[]): string {
  mkdirSync(folder, { recursive: true })
  for (const [index, fixture] of fixtures.entries())
    writeFileSync(join(folder, `${index}.json`), JSON.stringify(fixture))
  return folder
}
