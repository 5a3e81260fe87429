import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { root } from '../run.ts'

/**
 * The names that users of each entry can import or are given, and the types on which those lean: one text for each
 * entry, by the name of its file in `test/api/`. Read from the declarations in `dist`.
 */
export function apiReports(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-api-'))
  try {
    const reports = join(folder, 'reports')
    mkdirSync(reports)
    extractAll(reports)
    return new Map(readdirSync(reports).map((file) => [file, readFileSync(join(reports, file), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function extractAll(reports: string): void {
  const configurations = entries().map(([name, declarations]) =>
    configurationOf(name, join(root, declarations), reports),
  )
  const [first, ...others] = configurations
  if (first === undefined) return
  const additionalEntryPoints = others.map((each) => each.mainEntryPointFilePath)
  const compilerState = CompilerState.create(first, { additionalEntryPoints })
  for (const each of configurations)
    if (!Extractor.invoke(each, { compilerState, localBuild: true, messageCallback }).succeeded)
      throw new Error(`the declarations of ${each.mainEntryPointFilePath} do not compile`)
}

/** The entries of `exports` that have types: name and declarations. */
function entries(): (readonly [name: string, declarations: string])[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries<{ import?: { types: string } }>(exports).flatMap(([path, { import: module }]) =>
    module === undefined ? [] : [[path === '.' ? 'switchhook' : path.slice('./'.length), module.types] as const],
  )
}

function configurationOf(name: string, declarations: string, reports: string): ExtractorConfig {
  const off = { default: { logLevel: ExtractorLogLevel.None } }
  const error = { default: { logLevel: ExtractorLogLevel.Error } }
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(root, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions: compilerOptions(), files: [declarations] }, skipLibCheck: true },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: reports,
        reportTempFolder: join(reports, '..', 'written'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { compilerMessageReporting: error, extractorMessageReporting: off, tsdocMessageReporting: off },
    },
  })
}

function compilerOptions(): object {
  return JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions
}

/** Only what the compiler says is of interest: the extractor tells of each file that it writes, too. */
function messageCallback(message: { logLevel: string; messageId: string; handled: boolean }): void {
  message.handled = !message.messageId.startsWith('TS')
}
