/** Writes a page for each entry of the package into a folder: what it exports, from the docstrings. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { entries } from '../entries.ts'
import { ROOT } from '../links.ts'
import { pageOf } from './page.ts'
import { surfacesOf } from './surface.ts'

const [folder = ''] = process.argv.slice(2)
const file = join(ROOT, 'tsconfig.build.json')
const parsed = ts.getParsedCommandLineOfConfigFile(file, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail })
const sources = entries().map(({ source }) => source)
for (const surface of surfacesOf(entries(), ts.createProgram(sources, parsed?.options ?? {}))) {
  const to = join(folder, surface.entry.page)
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, pageOf(surface))
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
}
