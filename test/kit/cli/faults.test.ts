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

  it.for([
    ['lose_anser', '"lose_anser" is not a fault: status, cut_before'],
    ['send duplicate', '"duplicate" is not a fault: status, cut_before'],
    ['toString', '"toString" is not a fault'],
    ['418', "status: must be a status of the service's errors"],
    ['late next', 'expected a member of the fault, such as next=2, got "next"'],
    ['late by=soon', 'by: must be a span'],
    ['late next=1 every=2', 'every: every and next exclude each other'],
  ] as const)('exits with 2 for %s, explains it in one line, and arms nothing', async ([words, message]) => {
    const { code, stdout, stderr } = await run(['faults', ...words.split(' ')])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^switchhook: [^\n]+\n$/)
    expect(stderr).toContain(message)
    expect(await armed()).toEqual([])
  })

  it('explains each fault in its help', async () => {
    const { stdout } = await switchhook(['faults', '--help'])
    for (const name of ['cut_before', 'late_answer', 'tamper', 'shuffle'])
      expect(stdout).toMatch(new RegExp(`\\n  ${name} +[a-z]`))
  })
})
