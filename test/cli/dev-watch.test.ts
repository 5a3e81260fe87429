import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { watchFiles } from '../../src/cli/dev/watch.ts'
import { type Running, shellLine, startSwitchhook } from './support.ts'

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
  running.heard('stderr', new RegExp(`\n${file} changed: the app starts again\\.\n[^]*\\| up\n`))
/** The files whose change started the app again; a slow machine may see one change as two. */
const changed = (stderr: string) =>
  new Set([...stderr.matchAll(/^(.*) changed: the app starts again/gm)].map(([, file]) => file))

describe('switchhook dev', () => {
  it('starts the app again when a file changes that it has loaded, and says which', async () => {
    mkdirSync(join(folder, 'src'))
    write('src/menu.mts', 'export const menu: string[] = []\n')
    write('src/price.cjs', 'module.exports = 1\n')
    write('app.mjs', `import './src/menu.mts'\nawait import('./src/price.cjs')\n${STAYS}`)
    await using running = dev()
    await up(running)
    for (const file of ['app.mjs', 'src/menu.mts', 'src/price.cjs']) {
      appendFileSync(join(folder, file), '// more\n')
      await upAgain(running, file)
    }
  })

  it('keeps its emulator while the app starts again: phones, address and credentials stay', async () => {
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

  it('does not for other files, whether the app writes them or a person', async () => {
    write('app.mjs', STAYS)
    for (const name of ['node_modules', '.git', 'test', 'tool']) mkdirSync(join(folder, name))
    await using running = dev()
    await up(running)
    for (const file of ['shop.db', 'shop.db-wal', 'data.json', 'app.log', 'types.d.ts']) write(file, 'x')
    for (const file of ['node_modules/a.js', '.git/b.js', '.switchhook/c.js']) write(file, 'x')
    for (const file of ['scratch.js', 'test/app.test.mjs', 'tool/package.json', 'tool/seed.ts']) write(file, 'x')
    // What comes last was seen last.
    write('.env', 'A=1')
    expect(changed(await upAgain(running, '.env'))).toEqual(new Set(['.env']))
  })

  it('starts an app that crashed again for any code, since the missing file may be the one that it needs', async () => {
    write('app.mjs', STAYS)
    await using running = dev()
    await up(running)
    write('app.mjs', `import './later.mjs'\n${STAYS}`)
    await running.heard('stderr', /It starts again when a file changes\./)
    write('later.mjs', '')
    await upAgain(running, 'later.mjs')
  })

  it('goes by the names of files where nobody tells what the app has loaded, as behind npm', async () => {
    write('app.mjs', STAYS)
    mkdirSync(join(folder, 'test'))
    const behind = ['sh', '-c', `${shellLine(process.execPath)} app.mjs 3>&-`]
    await using running = startSwitchhook(['dev', '--port', '0', '--output', 'quiet', '--', ...behind], {}, folder)
    await up(running)
    write('test/app.test.mjs', '')
    write('menu.ts', '')
    expect(changed(await upAgain(running, 'menu.ts'))).toEqual(new Set(['menu.ts']))
  })

  it('--watch looks at what it names alone', async () => {
    write('app.mjs', STAYS)
    mkdirSync(join(folder, 'prompts'))
    await using running = dev('--watch', 'prompts', '--watch', 'price.json')
    await up(running)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    write('prompts/hello.md', 'hello')
    await upAgain(running, 'prompts/hello.md')
    write('price.json', '{}')
    const stderr = await upAgain(running, 'price.json')
    expect(changed(stderr)).toEqual(new Set(['prompts/hello.md', 'price.json']))
  })

  it('does not start an app again and again that crashes at once, but at the next change', async () => {
    write('app.mjs', STAYS)
    await using running = dev()
    await up(running)
    write('app.mjs', 'console.log("down"); process.exit(3)')
    await running.heard('stderr', /The app ended with 3\. It starts again when a file changes\./)
    write('app.mjs', STAYS)
    const stderr = await running.heard('stderr', /\| down\n[^]*\| up\n/)
    const count = (what: RegExp) => stderr.match(what)?.length
    expect(count(/\| (up|down)\n/g)).toBeLessThanOrEqual(1 + (count(/changed: the app starts again/g) ?? 0))
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('ends with an app that crashes at its first start if nobody is there to mend it, unless --watch is given', async () => {
    write('app.mjs', 'process.exit(3)')
    expect((await dev().ended).code).toBe(3)
    await using running = dev('--watch', 'app.mjs')
    await running.heard('stderr', /It starts again when a file changes/)
    write('app.mjs', STAYS)
    await up(running)
  })

  it('--no-watch starts nothing again', async () => {
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
    await running.heard('stderr', /The app has not ended yet/)
    write('let.txt', 'go')
    const { code, stderr } = await running.ended
    expect([code, stderr.match(/\| up/g)?.length]).toEqual([0, 1])
  })
})

describe('a folder that is removed while it is watched', () => {
  it('is not looked for without a pause', async () => {
    const home = process.cwd()
    process.chdir(folder)
    try {
      const seen: string[] = []
      const isSource = (file: string) => seen.push(file) > 0
      await using _watcher = await watchFiles([], { isSource, changed: () => {}, print: (line) => seen.push(line) })
      write('app.mjs', '')
      await expect.poll(() => seen).toContain('app.mjs')
      const before = seen.length
      rmSync(folder, { recursive: true })
      await expect.poll(() => seen.length).toBeGreaterThan(before)
      let idle = 0
      const looks = () => process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'))
      await expect.poll(() => (idle = looks() ? 0 : idle + 1)).toBe(10)
    } finally {
      process.chdir(home)
      mkdirSync(folder, { recursive: true })
    }
  })
})
