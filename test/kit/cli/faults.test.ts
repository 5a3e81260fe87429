import { describe, expect, it } from 'vitest'
import { jsonLines, switchhook } from './support.ts'
import { beside } from './emulator-support.ts'

const { emulator, run } = beside()

async function armed(): Promise<unknown> {
  const answer = await fetch(`${emulator().url}/_emulator/faults`, {
    headers: { authorization: `Bearer ${emulator().controlToken}` },
  })
  return ((await answer.json()) as { rules: unknown }).rules
}

describe('switchhook faults', () => {
  it('arms a fault beside the armed ones, lists them, and disarms all', async () => {
    expect(await run(['faults'])).toMatchObject({ code: 0, stdout: '', stderr: 'No fault is armed.\n' })
    expect((await run(['faults', 'lose_answer'])).stdout).toBe(
      'ON    DO           MEMBERS\nsend  lose_answer  next: 1\n',
    )
    await run(['faults', 'late', 'by=10m', 'every=2', 'to=255712000101'])
    const rules = [
      { on: 'send', do: 'lose_answer', next: 1 },
      { on: 'delivery', do: 'late', by: '10m', every: 2, to: '255712000101' },
    ]
    expect(await armed()).toEqual(rules)
    expect(jsonLines((await run(['faults', '--json'])).stdout)).toEqual(rules)
    expect(await run(['faults', 'off'])).toMatchObject({ code: 0, stderr: 'No fault is armed.\n' })
    expect(await armed()).toEqual([])
  })

  it('exits with 2 for what is no fault, and arms nothing', async () => {
    for (const args of [['slow'], ['lose_answer', 'nxt=2'], ['delivery'], ['off', 'now']]) {
      const { code, stdout, stderr } = await run(['faults', ...args])
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toMatch(/^switchhook: [^\n]+\n$/)
    }
    expect(await armed()).toEqual([])
  })

  it('explains each fault in its help', async () => {
    const { stdout } = await switchhook(['faults', '--help'])
    for (const name of ['cut_before', 'hold_key', 'wrong_secret', 'unknown_event'])
      expect(stdout).toMatch(new RegExp(`\\n  ${name} +[a-z]`))
  })
})
