import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { watchFiles } from '../../../src/kit/cli/dev/app.ts'
import { type Running, startSwitchhook } from './support.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-watch-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const STAYS = `process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('up')\n`
const ENDS_WHEN_LET = `setInterval(() => existsSync('let.txt') && process.exit(0), 10)`
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)

function dev(...flags: string[]): Running {
  const app = ['--', process.execPath, 'app.mjs']
  return startSwitchhook(['dev', '--port', '0', '--output', 'quiet', ...flags, ...app], {}, folder)
}

/** Waits until the app is up. */
const up = (running: Running) => running.heard('stderr', /\| up\n/)
/** Waits until the app is up again after a change of that file. */
const upAgain = (running: Running, file: string) =>
  running.heard('stderr', new RegExp(`\n${file} changed\\. Restarting the app\\.\n[^]*\\| up\n`))

describe('switchhook dev', () => {
  it('keeps its emulator while the app is restarted: phones, address and credentials stay', async () => {
    write('app.mjs', STAYS)
    await using running = dev()
    await up(running)
    const note = readFileSync(join(folder, '.switchhook/dev.json'), 'utf8')
    const { url, controlToken } = JSON.parse(note)
    const ask = async (method: string, path: string, body?: string) => {
      const headers = { Authorization: `Bearer ${controlToken}` }
      const answer = await fetch(`${url}/_emulator/${path}`, { method, headers, ...(body && { body }) })
      return JSON.parse(await answer.text())
    }
    await ask('POST', 'customers/255712000101/messages', '{"text":"Habari"}')
    const credentials = await ask('GET', 'credentials')
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    await upAgain(running, 'app.mjs')
    expect((await ask('GET', 'customers/255712000101/thread')).items).toMatchObject([{ text: 'Habari' }])
    expect(await ask('GET', 'credentials')).toEqual(credentials)
    expect(readFileSync(join(folder, '.switchhook/dev.json'), 'utf8')).toBe(note)
  })

  it('ends with an app that crashes at its first start if nobody is there to fix it, unless --watch is given', async () => {
    write('app.mjs', 'process.exit(3)')
    expect((await dev().ended).code).toBe(3)
    await using running = dev('--watch', 'app.mjs')
    await running.heard('stderr', /It starts again when a file changes/)
    write('app.mjs', STAYS)
    await up(running)
  })

  it('restarts nothing with --no-watch', async () => {
    write('app.mjs', `${STAYS}setTimeout(() => process.exit(4), 700)`)
    const running = dev('--no-watch')
    await up(running)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    const { code, stderr } = await running.ended
    expect(code).toBe(4)
    expect(stderr).not.toContain('changed')
  })

  it('leaves no stopping app behind when it ends', async () => {
    write('app.mjs', `import { existsSync } from 'node:fs'\n${STAYS.replace('process.exit(0)', ENDS_WHEN_LET)}`)
    const running = dev()
    await up(running)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    await running.heard('stderr', /changed/)
    running.child.kill('SIGTERM')
    await running.heard('stderr', /The app is still running/)
    write('let.txt', 'go')
    const { code, stderr } = await running.ended
    expect([code, stderr.match(/\| up/g)?.length]).toEqual([0, 1])
  })
})

describe('what is watched', () => {
  const home = process.cwd()
  beforeEach(() => {
    for (const name of ['node_modules', '.git', 'test', 'tool', 'src', 'prompts']) mkdirSync(join(folder, name))
    process.chdir(folder)
  })
  afterEach(() => {
    process.chdir(home)
    mkdirSync(folder, { recursive: true })
  })

  async function watched(...paths: string[]) {
    const seen: string[] = []
    const watcher = await watchFiles(paths, { changed: (file) => seen.push(file), print: (line) => seen.push(line) })
    return { seen, [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose]() }
  }

  it('is the app’s code with its settings, and neither tests nor files that an app writes', async () => {
    await using watcher = await watched()
    for (const file of ['shop.db', 'shop.db-wal', 'data.json', 'app.log', 'types.d.ts']) write(file, 'x')
    for (const file of ['node_modules/a.js', '.git/b.js', 'test/app.test.mjs', 'tool/package.json']) write(file, 'x')
    for (const file of ['src/menu.mts', 'price.cjs', '.env.local', 'package.json']) {
      write(file, 'x')
      await expect.poll(() => watcher.seen.at(-1)).toBe(file)
    }
    expect(new Set(watcher.seen)).toEqual(new Set(['src/menu.mts', 'price.cjs', '.env.local', 'package.json']))
  })

  it('is only the files and folders of --watch, if they are given', async () => {
    await using watcher = await watched('prompts', 'price.json')
    write('app.mjs', 'x')
    for (const file of ['prompts/hello.md', 'price.json']) {
      write(file, 'x')
      await expect.poll(() => watcher.seen.at(-1)).toBe(file)
    }
    expect(new Set(watcher.seen)).toEqual(new Set(['prompts/hello.md', 'price.json']))
  })

  it('is not searched for without a pause if the folder is removed', async () => {
    await using watcher = await watched()
    write('app.mjs', '')
    await expect.poll(() => watcher.seen).toContain('app.mjs')
    const before = watcher.seen.length
    rmSync(folder, { recursive: true })
    await expect.poll(() => watcher.seen.length).toBeGreaterThan(before)
    let idle = 0
    const looks = () => process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'))
    await expect.poll(() => (idle = looks() ? 0 : idle + 1)).toBe(10)
  })
})
