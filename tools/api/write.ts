import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run.ts'
import { apiReports } from './reports.ts'

/** `npm run api`: writes the reports again, so that a change of the public surface is a change of a file. */
const folder = join(root, 'test/api')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [file, text] of apiReports()) writeFileSync(join(folder, file), text)
