import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NODE, run, shellLine } from './support.ts'

const main = resolve(import.meta.dirname, '../../../src/kit/cli/main.ts')

/** What gives a process a terminal, if this machine has it. */
const hasScript = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
if (!hasScript)
  process.stderr.write('SKIPPED: no `script` of util-linux, so what init asks at a terminal was not seen\n')

const ENTER = '\r'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

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
  it('asks for template and language, again after an unknown answer, and uses the answers', async () => {
    await using asked = atTerminal('desk')
    await asked.answers(/Which template/, ['desk', ENTER])
    await asked.answers(/Which template[^]*Which template/, ['support-desk', ENTER])
    await asked.answers(/Which language/, ['sw', ENTER])
    const { code } = await asked.ended
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'desk/src/words.ts'), 'utf8')).toContain('Karibu')
    expect(existsSync(join(folder, 'desk/src/handlers/people.ts'))).toBe(true)
  })

  it('asks nothing with --yes, with every choice given, or if CI is set', async () => {
    await using yes = atTerminal('one --yes')
    await using given = atTerminal('two --template auto-reply --language en')
    await using ci = atTerminal('three', { CI: 'true' })
    for (const { ended } of [yes, given, ci])
      expect(await ended).toMatchObject({ code: 0, shown: expect.not.stringContaining('?') })
  })

  it.for([CTRL_C, CTRL_D])('writes nothing when %j is its answer, and exits with 130', async (key) => {
    await using asked = atTerminal('bot')
    await asked.answers(/Which template/, [key])
    const { code, shown } = await asked.ended
    expect(code).toBe(130)
    expect(shown).toContain('Nothing was written.')
    expect(existsSync(join(folder, 'bot'))).toBe(false)
  })
})
