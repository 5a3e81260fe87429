import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { startSwitchhook } from './support.ts'

const ENTER = '\r'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

let folder = ''
beforeEach(() => void (folder = temporaryFolder()))

function atTerminal(args: readonly string[], environment: Record<string, string> = {}) {
  const running = startSwitchhook(['init', ...args], environment, folder, { terminal: true })
  return {
    /** Types that when it has asked this. */
    async answers(question: RegExp, keys: readonly string[]) {
      await running.heard('stderr', question)
      for (const key of keys) running.type(key)
    },
    ended: running.ended.then(({ code, stderr }) => ({ code, shown: stripVTControlCharacters(stderr) })),
  }
}

describe('switchhook init at a terminal', () => {
  it('asks for the template, again after an unknown answer, and uses the answer', async () => {
    const asked = atTerminal(['desk'])
    await asked.answers(/Which template/, ['desk', ENTER])
    await asked.answers(/Which template[^]*Which template/, ['support-desk', ENTER])
    const { code } = await asked.ended
    expect(code).toBe(0)
    expect(existsSync(join(folder, 'desk/src/handlers/people.ts'))).toBe(true)
  })

  it('asks nothing with --yes, with a template given, or if CI is set', async () => {
    const yes = atTerminal(['one', '--yes'])
    const given = atTerminal(['two', '--template', 'auto-reply'])
    const ci = atTerminal(['three'], { CI: 'true' })
    for (const { ended } of [yes, given, ci])
      expect(await ended).toMatchObject({ code: 0, shown: expect.not.stringContaining('?') })
  })

  it.for([CTRL_C, CTRL_D])('writes nothing when %j is its answer, and exits with 130', async (key) => {
    const asked = atTerminal(['bot'])
    await asked.answers(/Which template/, [key])
    const { code, shown } = await asked.ended
    expect(code).toBe(130)
    expect(shown).toContain('Nothing was written.')
    expect(existsSync(join(folder, 'bot'))).toBe(false)
  })
})
