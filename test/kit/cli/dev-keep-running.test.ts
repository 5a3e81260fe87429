import { describe, expect, it } from 'vitest'
import { type AppEnd, keepRunning, type KeepRunningOptions } from '../../../src/kit/cli/dev/app.ts'

/** Apps that end on request, as slowly as the test wants. */
function apps(restartAfterExit: KeepRunningOptions['restartAfterExit'] = 'always') {
  const lives: { end(end: AppEnd): void; stops: number; letGo(): void }[] = []
  const told: string[] = []
  const kept = keepRunning({
    restartAfterExit,
    print: (line) => told.push(line),
    start() {
      const ended = Promise.withResolvers<AppEnd>()
      const gone = Promise.withResolvers<void>()
      const life = {
        stops: 0,
        end: (end: AppEnd) => ended.resolve(end),
        letGo: () => gone.resolve(),
      }
      lives.push(life)
      return {
        ended: ended.promise,
        async stop() {
          life.stops++
          await gone.promise
          ended.resolve({ code: 0, message: 'stopped' })
        },
      }
    },
  })
  return { lives, told, kept }
}

const CRASHED: AppEnd = { code: 1, message: 'The app ended with 1.' }
/** Everything that is ready has run. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('an app that is restarted at each change', () => {
  it('starts when the previous one has ended, and once for all changes meanwhile', async () => {
    const { lives, kept } = apps()
    kept.changed('a.ts')
    await turn()
    kept.changed('b.ts')
    kept.changed('c.ts')
    await turn()
    expect([lives.length, lives[0]?.stops]).toEqual([1, 1])
    lives[0]?.letGo()
    await turn()
    expect(lives).toHaveLength(2)
    await turn()
    expect(lives[1]?.stops).toBe(0)
  })

  it('waits after a crash for a change, however long', async () => {
    const { lives, told, kept } = apps()
    lives[0]?.letGo()
    lives[0]?.end(CRASHED)
    await turn()
    expect(lives).toHaveLength(1)
    expect(told).toEqual(['The app ended with 1. It starts again when a file changes.'])
    kept.changed('a.ts')
    await turn()
    expect(lives).toHaveLength(2)
  })

  it('ends with the app if nobody waits', async () => {
    const { lives, kept } = apps('never')
    lives[0]?.end(CRASHED)
    expect(await kept.ended).toEqual(CRASHED)
  })

  it('ends with the first run, and waits after the second, because then somebody is working on it', async () => {
    const { lives, kept } = apps('once_changed')
    kept.changed('a.ts')
    lives[0]?.letGo()
    await turn()
    lives[1]?.end(CRASHED)
    await turn()
    kept.changed('b.ts')
    lives[1]?.letGo()
    await turn()
    expect(lives).toHaveLength(3)
    const other = apps('once_changed')
    other.lives[0]?.end(CRASHED)
    expect(await other.kept.ended).toEqual(CRASHED)
  })

  it('stops while it runs, while it is stopping, and while it waits', async () => {
    const running = apps()
    running.lives[0]?.letGo()
    await running.kept.stop()
    const stopping = apps()
    stopping.kept.changed('a.ts')
    await turn()
    const stopped = stopping.kept.stop()
    stopping.lives[0]?.letGo()
    await stopped
    const waiting = apps()
    waiting.lives[0]?.letGo()
    waiting.lives[0]?.end(CRASHED)
    await turn()
    await waiting.kept.stop()
    for (const { lives } of [running, stopping, waiting]) expect(lives).toHaveLength(1)
  })
})
