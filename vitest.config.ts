import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Vitest hands these to Node as well: with `import` among them a package's require() would find modules.
export const conditions = ['switchhook-source', 'node']

/** Only what hangs takes as long: a slow or busy machine must fail no test. */
const LONGEST_TEST_MS = 120_000
const LONGEST_POLL_MS = 60_000
const LONGEST_TORTURE_MS = 900_000

/** Skips a part whose tool, a server or a browser, cannot start on this machine. */
const SKIP_PART = './test/support/skip-part.ts'

/** Peers of the bench, once they are installed, bring tests of their own. */
const foreign = ['**/node_modules/**']

const browser = ['test/pages/{admin/page*,desk/walk*,emulator/{size,walk}}.test.ts', 'test/pages/desk/walks/*.walk.ts']
/** Commands run as real processes here; the others run in the test's own process, with the fast part. */
const processes = [
  'test/kit/cli/{bin,dev,dev-app,every-command,exec}.test.ts',
  'test/{templates,torture,powercut,examples,ops}/**/*.test.ts',
  'test/bot/inbox/adapters/signals.test.ts',
]
/** Files, servers, commands in the test's own process, and many histories: what `npm run test:quick` leaves out. */
const slow = [
  'test/{admin,bot/inbox/adapters,kit/cli,kit/verify,site}/**/*.test.ts',
  'test/store/{sqlite,sqlite/*}.test.ts',
  'test/bot/outbox/model.test.ts',
  'test/{service/new-kind,features/taken-out,features/people/desk*}.test.ts',
]
/** Read what `npm run build` makes: an app's types are declarations, which need no check of the sources. */
const built = ['test/package/*.test.ts', 'test/docs.test.ts', 'test/kit/cli/templates-types.test.ts']
const torture = ['test/torture/torture*.test.ts']
const journeys = ['test/{journeys,kit/testing,surface}/**/*.test.ts', 'test/readme.test.ts']
/** Bring a server with them, or use the one that the environment names. */
const postgres = ['test/**/postgres*.test.ts', 'test/store/postgres/**/*.test.ts']
/** Played over PostgreSQL too. All that they ask of a store is in its contract, which runs over both. */
const overBoth = [
  'test/journeys/{announcements,desk-two-browsers,words,forget,long-answers,message-limit,odd-values,reply,rolling-restart,same-customer,signals,taps,throwing,thrown-values,who-writes}.test.ts',
  'test/torture/desk-kill.test.ts',
]
/**
 * Replace a module, a part of SQLite's driver or the timers, so the files cannot share their modules with others: what
 * another file's test left waiting would move false timers on.
 */
const mocking = [
  'test/bot/inbox/compare.test.ts',
  'test/pages/emulator/follow.test.ts',
  'test/store/sqlite/gather.test.ts',
]

/**
 * The longest files begin first, so that no worker is left alone with one at the end. Those that mostly wait stand beside
 * those that compute. All others follow by part, so that a worker keeps the modules that it has loaded.
 */
const FIRST = [
  'store/postgres/contract.test',
  'torture/torture.test',
  'store/sqlite.test',
  'emulator/walk.test',
  'torture/postgres-torture.test',
  'admin/page.test',
  'walks/points.walk',
  'walks/rows.walk',
  'desk/walk.test',
  'package/packed.test',
  'examples/platform.test',
  'ops/prometheus.test',
  'test/docs.test',
  'store/sqlite/opening.test',
  'cli/payloads-walk.test',
  'examples/demo.test',
  'powercut/powercut.test',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const found = FIRST.findIndex((file) => moduleId.includes(file))
      return found === -1 ? FIRST.length + this.ctx.projects.indexOf(project) : found
    }
    return files.toSorted((one, other) => place(one) - place(other))
  }
}

/** The parts of the suite. */
export default defineConfig({
  test: {
    // One more than there are cores: many tests wait for a process or a browser.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/summary.ts'],
    // Parts with long files stand before those with short ones.
    projects: [
      part('torture', torture, { testTimeout: LONGEST_TORTURE_MS }),
      part('browser', browser, { runner: SKIP_PART, globalSetup: ['test/runtime.ts', 'test/support/chromium.ts'] }),
      // Files share the modules that they import: without that, a third of the time goes into loading them again.
      part('postgres', [...postgres, ...overBoth], {
        isolate: false,
        env: { SWITCHHOOK_WORLDS_OVER: 'postgres' },
        runner: SKIP_PART,
        globalSetup: ['test/runtime.ts', 'test/support/postgres-server.ts'],
      }),
      part('built', built, { isolate: false, globalSetup: ['test/runtime.ts', 'test/support/built.ts'] }),
      part('processes', processes, { isolate: false, exclude: [...foreign, ...torture, ...postgres, ...browser] }),
      part('mocking', mocking, {}),
      part('files', slow, {
        isolate: false,
        exclude: [...foreign, ...mocking, ...processes, ...built, ...browser, ...postgres],
      }),
      part('journeys', journeys, { isolate: false }),
      part('units', ['test/**/*.test.ts'], {
        isolate: false,
        exclude: [...foreign, ...browser, ...processes, ...built, ...journeys, ...mocking, ...postgres, ...slow],
      }),
    ],
  },
})

interface More {
  isolate?: boolean
  runner?: string
  testTimeout?: number
  exclude?: string[]
  globalSetup?: string[]
  env?: Record<string, string>
}

export function part(name: string, include: string[], more: More) {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      include,
      globalSetup: ['test/runtime.ts'],
      setupFiles: ['test/histories.ts'],
      testTimeout: LONGEST_TEST_MS,
      hookTimeout: LONGEST_TEST_MS,
      expect: { poll: { timeout: LONGEST_POLL_MS } },
      ...more,
    },
  }
}
