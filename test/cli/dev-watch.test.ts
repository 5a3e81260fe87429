import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Running, startSwitchhook } from './support.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-watch-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const STAYS = `console.log('up'); process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000)\n`
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)

function dev(...flags: string[]): Running {
  const app = ['--', process.execPath, 'app.mjs']
  return startSwitchhook(['dev', '--port', '0', '--output', 'quiet', ...flags, ...app], {}, folder)
}

/** How often the app said that it is up. */
const ups = (running: Running, times: number) => running.heard('stderr', new RegExp(`(?:\\| up[^]*){${times}}`))

describe('switchhook dev', () => {
  it('starts the app again when its sources change, and says which', async () => {
    write('app.mjs', STAYS)
    await using running = dev()
    await ups(running, 1)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    await ups(running, 2)
    mkdirSync(join(folder, 'src'))
    write('src/menu.ts', 'export {}')
    const stderr = await ups(running, 3)
    expect(stderr).toContain('app.mjs changed: the app starts again.')
    expect(stderr).toContain('src/menu.ts changed: the app starts again.')
  })

  it('does not for what it writes while it runs, nor for what is installed', async () => {
    write('app.mjs', STAYS)
    for (const name of ['node_modules', '.git']) mkdirSync(join(folder, name))
    await using running = dev()
    await ups(running, 1)
    for (const file of ['shop.db', 'shop.db-wal', 'data.json', 'app.log', 'types.d.ts']) write(file, 'x')
    for (const file of ['node_modules/a.js', '.git/b.js', '.switchhook/c.js']) write(file, 'x')
    // What comes last was seen last.
    write('.env', 'A=1')
    const stderr = await ups(running, 2)
    expect(stderr.match(/changed: the app starts again/g)).toHaveLength(1)
    expect(stderr).toContain('.env changed')
  })

  it('--watch looks at what it names alone', async () => {
    write('app.mjs', STAYS)
    mkdirSync(join(folder, 'prompts'))
    await using running = dev('--watch', 'prompts/**/*.md', '--watch', 'price.json')
    await ups(running, 1)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    write('prompts/hello.md', 'hello')
    await ups(running, 2)
    write('price.json', '{}')
    const stderr = await ups(running, 3)
    expect(stderr).toContain('prompts/hello.md changed')
    expect(stderr).toContain('price.json changed')
    expect(stderr).not.toContain('app.mjs changed')
  })

  it('does not start an app again and again that crashes at once, but at the next change', async () => {
    write('app.mjs', STAYS)
    await using running = dev()
    await ups(running, 1)
    write('app.mjs', 'console.log("up, and down"); process.exit(3)')
    await running.heard('stderr', /The app ended with 3\. It starts again when a file changes\./)
    write('app.mjs', STAYS)
    const stderr = await ups(running, 3)
    expect(stderr.match(/up, and down/g)).toHaveLength(1)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it('ends with an app that crashes at its first start if nobody is there to mend it, unless --watch is given', async () => {
    write('app.mjs', 'process.exit(3)')
    expect((await dev().ended).code).toBe(3)
    await using running = dev('--watch', 'app.mjs')
    await running.heard('stderr', /It starts again when a file changes/)
    write('app.mjs', STAYS)
    await ups(running, 1)
  })

  it('--no-watch starts nothing again', async () => {
    write('app.mjs', `${STAYS}setTimeout(() => process.exit(4), 700)`)
    const running = dev('--no-watch')
    await ups(running, 1)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    const { code, stderr } = await running.ended
    expect(code).toBe(4)
    expect(stderr).not.toContain('changed')
  })

  it('leaves no stopping app behind when it ends', async () => {
    write('app.mjs', STAYS.replace('process.exit(0)', 'setTimeout(() => process.exit(0), 300)'))
    const running = dev()
    await ups(running, 1)
    appendFileSync(join(folder, 'app.mjs'), '// more\n')
    await running.heard('stderr', /changed/)
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect([code, stderr.match(/\| up/g)?.length]).toEqual([0, 1])
  })
})
