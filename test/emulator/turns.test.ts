import { describe, expect, it } from 'vitest'
import { createTurns } from '../../src/emulator/deliver/retries.ts'

describe('turns', () => {
  it('let at most so many tasks run at a time, the others in their order, also after one that fails [E DEL-08]', async () => {
    const inTurn = createTurns(() => 2)
    const begun: number[] = []
    const ends: ((failed: boolean) => void)[] = []
    const tasks = [0, 1, 2, 3].map((n) =>
      inTurn(
        () =>
          new Promise<void>((resolve, reject) => {
            begun.push(n)
            ends[n] = (failed) => (failed ? reject(new Error('failed')) : resolve())
          }),
      ),
    )
    expect(begun).toEqual([0, 1])
    ends[1]?.(true)
    await expect(tasks[1]).rejects.toThrow('failed')
    expect(begun).toEqual([0, 1, 2])
    ends[0]?.(false)
    await tasks[0]
    expect(begun).toEqual([0, 1, 2, 3])
    ends[2]?.(false)
    ends[3]?.(false)
    await Promise.all([tasks[2], tasks[3]])
  })
})
