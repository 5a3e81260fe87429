import { expect, it } from 'vitest'
import type { Bot, Sender } from 'switchhook'
import { countStatements } from '../../tools/bench/count.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

const counted = countStatements()

async function costOf(world: World, text: string): Promise<{ statements: number; rows: number }> {
  const before = counted()
  await world.emulator.customer(ASHA).says(text)
  await world.settled()
  const after = counted()
  return { statements: after.statements - before.statements, rows: after.rows - before.rows }
}

it('an answer at the twentieth question costs at most 1.5 times one at the second: the same statements, and rows', async () => {
  await using world = await openWorld((bot) => {
    const long = bot.conversation('long', { version: 1, timeout: '1h' }, async (chat) => {
      for (let question = 1; question <= 21; question++) {
        const answer = await chat.ask(`question ${question}`)
        await chat.once('note', () => answer)
      }
    })
    bot.hears('begin', (ctx) => ctx.enter(long))
  })
  await costOf(world, 'begin')
  const costs = []
  for (let question = 1; question <= 20; question++) costs.push(await costOf(world, 'answer'))
  const [second, twentieth] = [costs[1], costs[19]]
  expect((await world.replies()).length).toBe(21)
  expect(second?.rows).toBeGreaterThan(0)
  expect(twentieth?.statements).toBeLessThanOrEqual((second?.statements ?? 0) * 1.5)
  expect(twentieth?.rows).toBeLessThanOrEqual((second?.rows ?? 0) * 1.5)
})

it('a message that enters no conversation costs the same statements and rows in a bot that has some', async () => {
  const plain = (bot: Bot & Sender) => void bot.otherwise((ctx) => ctx.reply('hello'))
  const having = (bot: Bot & Sender) => {
    const other = bot.conversation('other', { version: 1, timeout: '1h' }, (chat) => chat.ask('?'))
    bot.hears('enter', (ctx) => ctx.enter(other))
    plain(bot)
  }
  const costs = []
  for (const routes of [plain, having]) {
    await using world = await openWorld(routes)
    await costOf(world, 'first')
    const each: Awaited<ReturnType<typeof costOf>>[] = []
    for (let message = 0; message < 6; message++) each.push(await costOf(world, 'next'))
    // The number of commits, and of looks that find nothing to do, differs from time to time.
    const least = (what: keyof (typeof each)[number]) => Math.min(...each.map((cost) => cost[what]))
    costs.push({ statements: least('statements'), rows: least('rows') })
  }
  expect(costs[1]).toEqual(costs[0])
})
