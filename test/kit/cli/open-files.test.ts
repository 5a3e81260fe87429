import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { jsonLines, NODE, run, shellLine } from './support.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Runs Node with a limit of open files. */
const limited = (limit: number, args: readonly string[], environment: Record<string, string> = {}) =>
  run('sh', ['-c', `ulimit -n ${limit}; exec ${shellLine(...NODE, ...args)}`], environment).ended

const START = `
  const { createBot } = await import('${root}/src/bot/switchhook.ts')
  const log = (about, message) => console.log(message)
  const bot = createBot({ signingSecret: 'a-secret-of-a-test', database: ':memory:', logger: { debug() {}, info() {}, warn: log, error: log } })
  await bot.start()
  await bot.stop()`

it.skipIf(process.platform !== 'linux')(
  'a start in production logs in one line that too few files may be open',
  async () => {
    const start = (limit: number, NODE_ENV: string) =>
      limited(limit, ['--input-type=module', '-e', START], { NODE_ENV })
    const [few, enough, developing] = await Promise.all([
      start(200, 'production'),
      start(1_024, 'production'),
      start(200, 'development'),
    ])
    expect(few.stdout).toMatch(/^this process may have 200 files and connections open, .* LimitNOFILE of systemd\)\n$/)
    expect([enough.stdout, developing.stdout]).toEqual(['', ''])
  },
)

it.skipIf(process.platform !== 'linux')('doctor --prod finds a limit of open files that is too low', async () => {
  const { stdout } = await limited(200, [`${root}/src/kit/cli/main.ts`, 'doctor', '--prod', '--json'])
  expect(jsonLines(stdout).find(({ id }) => id === 'open-files')).toMatchObject({
    state: 'bad',
    says: expect.stringContaining('may have 200 files'),
  })
})
