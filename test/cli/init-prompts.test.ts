import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NODE, run, shellLine } from './support.ts'

const main = resolve(import.meta.dirname, '../../src/cli/main.ts')

/** What gives a process a terminal, if this machine has it. */
const hasScript = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
if (!hasScript)
  process.stderr.write('SKIPPED: no `script` of util-linux, so what init asks at a terminal was not seen\n')

const ENTER = '\r'
const DOWN = '\u001B[B'
const CTRL_C = '\u0003'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-init-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function atTerminal(args: string, environment: Record<string, string> = {}) {
  const command = `stty cols 120 rows 40; exec ${shellLine(...NODE, main, 'init')} ${args}`
  const running = run('script', ['-qec', command, '/dev/null'], { CI: '', TERM: 'xterm', ...environment }, folder)
  return {
    /** Types that when it has asked this. */
    async answers(question: RegExp, keys: readonly string[]) {
      await running.heard('stdout', question)
      for (const key of keys) running.child.stdin?.write(key)
    },
    ended: running.ended.then(({ code, stdout }) => ({ code, shown: stripVTControlCharacters(stdout) })),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

describe.skipIf(!hasScript)('switchhook init at a terminal', () => {
  it('asks for folder, template, language and name, and takes what is typed', async () => {
    await using asked = atTerminal('--no-git')
    await asked.answers(/Where does the bot go/, ['desk', ENTER])
    await asked.answers(/What does it begin as/, [DOWN, ENTER])
    await asked.answers(/In which language/, [DOWN, ENTER])
    await asked.answers(/package called/, ['my-desk', ENTER])
    const { code, shown } = await asked.ended
    expect(code).toBe(0)
    expect(shown).toContain('init desk --template support-desk --language sw --name my-desk ')
    expect(JSON.parse(readFileSync(join(folder, 'desk/package.json'), 'utf8')).name).toBe('my-desk')
  })

  it('asks for nothing that a flag says', async () => {
    await using asked = atTerminal('bot --template auto-reply --language en --name bot --no-git')
    const { code, shown } = await asked.ended
    expect(code).toBe(0)
    expect(shown).not.toContain('?')
  })

  it('asks nothing with --yes, or if CI is set', async () => {
    await using yes = atTerminal('one --yes --no-git')
    await using ci = atTerminal('two --no-git', { CI: 'true' })
    for (const { ended } of [yes, ci])
      expect(await ended).toMatchObject({ code: 0, shown: expect.not.stringContaining('?') })
  })

  it('says what is wrong with an answer, and asks again', async () => {
    await using asked = atTerminal('bot --template auto-reply --language sw --no-git')
    await asked.answers(/package called/, ['My Bot', ENTER])
    await asked.answers(/capital letters/, [...Array<string>(6).fill('\u007F'), 'bot-2', ENTER])
    expect((await asked.ended).code).toBe(0)
    expect(JSON.parse(readFileSync(join(folder, 'bot/package.json'), 'utf8')).name).toBe('bot-2')
  })

  it('writes nothing when Ctrl-C is its answer, and exits with 130', async () => {
    await using asked = atTerminal('bot')
    await asked.answers(/What does it begin as/, [CTRL_C])
    const { code, shown } = await asked.ended
    expect(code).toBe(130)
    expect(shown).toContain('Nothing was written.')
    expect(existsSync(join(folder, 'bot'))).toBe(false)
  })
})
