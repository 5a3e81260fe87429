import { expect, it } from 'vitest'
import { openReader } from '../../src/store/sqlite/sqlite-reader.ts'
import { ASHA } from '../support/people.ts'
import { openBots } from './bots.ts'

const DIALOGUE = [
  ['book', ['Day?']],
  ['Monday', ['booked Monday', 'Name?']],
  ['Asha', ['sure? Asha']],
] as const

it('a conversation whose process is killed behind each operation of each step says each thing once, and nothing else [F-47, F-65]', async () => {
  await using bots = await openBots('conversation-bot.ts')
  const launch = async (haltsAfter: number) => {
    const bot = bots.launch([bots.port, haltsAfter])
    const said = new Set<unknown>()
    bot.on('message', (message) => void said.add(message))
    await expect.poll(() => said.size).toBeGreaterThan(0)
    return { hasHalted: () => said.has('halted'), kill: () => bots.kill(bot) }
  }
  const isSettled = async () => {
    const reader = openReader(bots.database)
    const { items } = await reader.counts()
    await reader.close()
    return items['done'] === handled
  }
  const expected: string[] = []
  let kills = 0
  let handled = 0
  for (const [text, answers] of DIALOGUE) {
    expected.push(...answers)
    handled++
    // Each process comes one operation further than the one before, and so does its kill.
    for (let after = 1; ; after++) {
      const { hasHalted, kill } = await launch(after)
      if (after === 1) await bots.emulator.customer(ASHA).says(text)
      await expect.poll(async () => hasHalted() || (await isSettled())).toBe(true)
      const wasKilled = hasHalted()
      await kill()
      if (!wasKilled) break
      kills++
    }
  }
  expect(await bots.replies(ASHA)).toEqual(expected)
  // The last kill of a step is counted only if the process's word comes before the look at the database.
  expect(kills).toBeGreaterThan(DIALOGUE.length)
})
