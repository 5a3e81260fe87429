import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { createVitest, type TestCase, type Vitest } from 'vitest/node'
import { conditions } from '../../../vitest.config.ts'
import type { Mutant } from './mutant.ts'
import { staleness } from './stale.ts'

/** A wait for something that a fault prevents ends soon; what hangs longer than a test may take is no verdict. */
const LONGEST_POLL_MS = 3_000
const LONGEST_WAIT_MS = 12_000
const LONGEST_TEST_MS = 60_000

export interface Tried {
  mutant: Mutant
  /** Why the run fails because of this mutant, and what to do; undefined if each of its tests failed, as it must. */
  problem: string | undefined
}

/**
 * Plants each mutant alone and runs the tests that it names. Nothing is copied or written: Vitest's server hands out
 * the mutated text of one file, and keeps all others as they were compiled.
 *
 * @param benches how many mutants are tried at a time.
 */
export async function tryMutants(
  root: string,
  mutants: readonly Mutant[],
  benches: number,
  report: (tried: Tried) => void = () => {},
): Promise<Tried[]> {
  const { exitCode } = process
  const waiting = mutants.map((mutant) => ({ mutant, problem: staleness(root, mutant) }))
  const tried = waiting.filter(({ problem }) => problem !== undefined)
  tried.forEach(report)
  const fitting = waiting.filter(({ problem }) => problem === undefined)
  const needs = (word: string) =>
    fitting.some(({ mutant }) => Object.keys(mutant.killedBy).some((test) => test.includes(word)))
  const setups = [...(needs('postgres') ? ['postgres-server'] : []), ...(needs(WALK) ? ['chromium'] : [])]
  await Promise.all(
    Array.from({ length: Math.min(benches, fitting.length) }, async () => {
      const bench = await openBench(root, setups)
      for (let next = fitting.shift(); next !== undefined; next = fitting.shift()) {
        const done = { mutant: next.mutant, problem: await bench.problemOf(next.mutant) }
        tried.push(done)
        report(done)
      }
      await bench.close()
    }),
  )
  // Vitest has set it, since tests failed, as they must.
  process.exitCode = exitCode
  return tried
}

interface Bench {
  problemOf: (mutant: Mutant) => Promise<string | undefined>
  close: () => Promise<void>
}

/** A walk in a browser, which loads the built page. */
const WALK = 'desk/walk'
const PAGE_HOST = 'src/admin/page-host.ts'
const BUILT_PAGES = "new URL('../../dist/pages/', import.meta.url)"

/** @param setups tests that are to fail work on a server or in a browser, which takes some seconds to start. */
async function openBench(root: string, setups: readonly string[]): Promise<Bench> {
  let planted: Mutant | undefined
  const pages = mkdtempSync(join(tmpdir(), 'switchhook-pages-'))
  let hasPage = false
  const plantIn = (code: string, id: string) =>
    planted !== undefined && id === join(root, planted.file)
      ? code.replace(planted.from, () => (planted as Mutant).to)
      : undefined
  const vitest = await createVitest(
    {
      config: false,
      root,
      watch: false,
      // The cache on disk belongs to the suite, which must never meet a mutated module.
      fsModuleCache: false,
      reporters: [{}],
      globalSetup: ['../../runtime.ts', ...setups.map((name) => `../../support/${name}.ts`)].map((file) =>
        join(import.meta.dirname, file),
      ),
      setupFiles: ['../../histories.ts', 'first-failure.ts'].map((file) => join(import.meta.dirname, file)),
      testTimeout: LONGEST_TEST_MS,
      hookTimeout: LONGEST_TEST_MS,
      expect: { poll: { timeout: LONGEST_POLL_MS } },
      env: { SWITCHHOOK_LONGEST_WAIT_MS: String(LONGEST_WAIT_MS) },
    },
    {
      resolve: { conditions },
      ssr: { resolve: { conditions } },
      plugins: [
        {
          name: 'mutant',
          enforce: 'pre',
          transform: (code: string, id: string) =>
            hasPage && id === join(root, PAGE_HOST)
              ? code.replace(BUILT_PAGES, `new URL(${JSON.stringify(pathToFileURL(`${pages}/`).href)})`)
              : plantIn(code, id),
        },
      ],
    },
  )
  const plant = async (fault: Mutant | undefined, test: string) => {
    // Both files are compiled again: the one that is sound again, and the one that is mutated now.
    const [, page] = /^src\/pages\/(\w+)\//.exec(test.includes(WALK) ? (fault?.file ?? '') : '') ?? []
    const hosts = hasPage || page !== undefined ? [PAGE_HOST] : []
    for (const one of [planted?.file, fault?.file, ...hosts])
      if (one !== undefined) vitest.invalidateFile(join(root, one))
    planted = fault
    hasPage = page !== undefined
    if (page === undefined) return
    await build({
      configFile: join(root, 'src/pages/vite.config.ts'),
      mode: page,
      logLevel: 'silent',
      plugins: [{ name: 'mutant', enforce: 'pre', transform: plantIn }],
      build: { outDir: join(pages, page) },
    })
  }
  const problemOf = async (mutant: Mutant): Promise<string | undefined> => {
    for (const [file, title] of Object.entries(mutant.killedBy)) {
      await plant(undefined, file)
      const sound = await runTests(vitest, join(root, file), title)
      await plant(mutant, file)
      const problem = judge(sound, await runTests(vitest, join(root, file), title))
      if (problem !== undefined) return `${file}, "${title}": ${problem}`
    }
    return undefined
  }
  const close = async () => {
    await vitest.close()
    rmSync(pages, { recursive: true, force: true })
  }
  return { problemOf, close }
}

function judge(sound: readonly TestCase[], mutated: readonly TestCase[]): string | undefined {
  if (sound.length === 0) return 'no test has this title: name the test that notices the fault.'
  if (failed(sound).length > 0) return 'it is red without the fault too: fix it first.'
  if (mutated.length === 0) return 'the mutated module does not load: write `to` so that it compiles.'
  const red = failed(mutated)
  if (red.length === 0)
    return 'it is green with the fault: write the test that turns red, and name it; or name the one that does.'
  if (red.every((test) => test.result().errors?.every(({ message }) => /^(Test|Hook) timed out/.test(message))))
    return 'it only hangs until its time-out: name a test that says what is wrong.'
  return undefined
}

function failed(tests: readonly TestCase[]): TestCase[] {
  return tests.filter((test) => test.result().state === 'failed')
}

async function runTests(vitest: Vitest, file: string, title: string): Promise<TestCase[]> {
  const testNamePattern = new RegExp(title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const [project] = vitest.projects
  if (project === undefined) throw new Error('Vitest made no project')
  const { testModules } = await vitest.runTestSpecifications([project.createSpecification(file, { testNamePattern })])
  return testModules
    .filter(({ moduleId }) => moduleId === file)
    .flatMap((module) => [...module.children.allTests()])
    .filter((test) => test.result().state !== 'skipped')
}
