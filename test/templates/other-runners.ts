/**
 * The package in apps that are no ES modules: Jest and ts-jest as they come, node:test with `require`, and TypeScript with
 * the settings that apps have. Everything is installed from the registry, beside the packed package.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeeds } from './packed.ts'

const PACKAGES = [
  'jest@30.5.2',
  'ts-jest@29.4.15',
  'typescript@5.9.3',
  '@types/jest@30.0.0',
  '@types/node@22.19.1',
  'express@5.3.0',
]

const BODY = `
  const bot = createBot()
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  if (typeof webhook(bot) !== 'function') throw new Error('no middleware')
  const s = await scenario(bot)
  const turn = await s.customer('255712000101').says('hours')
  await s.close()
  if (turn.text !== '9 to 17') throw new Error(turn.text)
  let thrown
  try { createBot({ session: 7 }) } catch (error) { thrown = error }
  if (!(thrown instanceof SwitchhookError)) throw new Error('another SwitchhookError')
`
const REQUIRES = `const { createBot, SwitchhookError } = require('switchhook')
const { scenario } = require('switchhook/testing')
const { webhook } = require('switchhook/express')
`

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"private":true}',
  'jest.config.json': '{"testRegex":"jest/.*\\\\.js$","testEnvironment":"node"}',
  'nest.config.json':
    '{"rootDir":"ts","moduleFileExtensions":["js","json","ts"],"testRegex":".*\\\\.spec\\\\.ts$","transform":{"^.+\\\\.(t|j)s$":"ts-jest"},"testEnvironment":"node"}',
  'tsconfig.json':
    '{"compilerOptions":{"module":"nodenext","moduleResolution":"nodenext","target":"es2023","strict":true,"skipLibCheck":true,"esModuleInterop":true,"isolatedModules":true,"types":["jest","node"]},"include":["ts"]}',
  'jest/bot.test.js': `${REQUIRES}test('a customer gets the hours', async () => {${BODY}})\n`,
  'ts/bot.spec.ts': `import { createBot, SwitchhookError, template } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { webhook } from 'switchhook/express'
import { openingHours } from 'switchhook/comfort'
test('a customer gets the hours', async () => {
  void [template('a', 'en'), openingHours]
${BODY.replace('let thrown', 'let thrown: unknown').replace('session: 7', 'session: 7 as never')}})
`,
  'node/bot.cjs': `${REQUIRES}
const { test } = require('node:test')
test('a customer gets the hours', async () => {${BODY}
  if ((await import('switchhook')).createBot !== createBot) throw new Error('two instances')
})
`,
  // An app of ES modules under a test that is none: both builds are loaded.
  'mixed/app.mjs': `import { createBot, GiveUp, tap } from 'switchhook'
export { GiveUp }
export const bot = createBot({ attempts: { max: 1 } })
bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
bot.hears('give up', () => { throw new GiveUp('enough') })
`,
  'mixed/bot.test.js': `const { GiveUp, createBot } = require('switchhook')
const { scenario, TurnFailed } = require('switchhook/testing')
test('one instance of errors, brands and maps', async () => {
  const app = await import('./app.mjs')
  const s = await scenario(app.bot)
  expect((await s.customer('255712000101').says('hours')).text).toBe('9 to 17')
  await expect(s.customer('255712000102').says('give up')).rejects.toThrow('enough')
  expect(new app.GiveUp()).toBeInstanceOf(GiveUp)
  await s.close()
})
`,
}

const SETTINGS = [
  ['commonjs', 'node10'],
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const

export async function tryRunners(tarball: string, here: string, environment: Record<string, string>): Promise<void> {
  const folder = join(here, 'runners')
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES, tarball]
  await succeeds('npm', install, folder, environment)
  const node = (...args: string[]) => succeeds('node', args, folder, environment)
  const typeChecks = (options: string[]) => node('node_modules/typescript/bin/tsc', '--noEmit', '-p', '.', ...options)
  const jest = 'node_modules/jest/bin/jest.js'
  await node(jest, '--config', 'jest.config.json')
  await node(jest, '--config', 'nest.config.json')
  await node('--experimental-vm-modules', jest, '--testRegex', 'mixed/.*\\.test\\.js$', '--rootDir', folder)
  await node('--test', 'node/bot.cjs')
  for (const [module, resolution] of SETTINGS)
    for (const skip of ['true', 'false'])
      await typeChecks(['--module', module, '--moduleResolution', resolution, '--skipLibCheck', skip])
}
