import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apiReports } from '../../tools/api/reports.ts'
import { root } from '../../tools/run.ts'

it('the public surface equals the reports in api/', () => {
  const folder = join(root, 'test/api')
  const written = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  const found = apiReports()
  const files = [...new Set([...written.keys(), ...found.keys()])]
  const changed = files.filter((file) => written.get(file) !== found.get(file))
  expect(
    changed,
    'The public surface has changed. If that is meant: `npm run api`, look at the difference, and say it in CHANGELOG.md',
  ).toEqual([])
})
