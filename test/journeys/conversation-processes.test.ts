import { expect, it } from 'vitest'
import { assemble, type Bot, type Sender } from '../../src/bot/bot.ts'
import { openWorld as openVirtual } from '../support/virtual-world.ts'
import { ASHA, openWorld, type World } from '../support/world.ts'

/** A bot of that version of the script, and the same routes in each. */
const routesOf = (version: number) =>
  function register(bot: Bot & Sender): void {
    const booking = bot.conversation('booking', { version, timeout: '1h' }, async (chat) => {
      const day = await chat.ask(`day of v${version}?`)
      if (version > 1) await chat.ask('and hour?')
      await chat.say(`${day} by v${version}`)
    })
    bot.hears('book', (ctx) => ctx.enter(booking))
    bot.otherwise((ctx) => ctx.reply(`route of v${version}`))
  }

/** A second process over the file of a world: it hears no webhook, and takes what waits. */
async function beside(world: World, register: (bot: Bot & Sender) => void) {
  const { url: baseUrl, accessToken, signingSecret } = world.emulator
  const bot = assemble(
    { baseUrl, accessToken, signingSecret, database: world.database, logger: false },
    { random: () => 0, environment: {} },
  )
  register(bot)
  await bot.start()
  return { bot, [Symbol.asyncDispose]: () => bot.stop({ drain: 0 }) }
}

it('a conversation of two processes on one file is left by an older process to the one with its script, and continues there in order [F-55]', async () => {
  await using world = await openWorld(routesOf(2))
  await world.emulator.customer(ASHA).says('book')
  await world.until(async () => (await world.replies()).at(-1) === 'day of v2?')
  await world.restart(routesOf(1))
  await using _newer = await beside(world, routesOf(2))
  await world.emulator.customer(ASHA).says('Monday')
  await world.emulator.customer(ASHA).says('9')
  await world.until(async () => (await world.replies()).at(-1) === 'Monday by v2')
  expect(await world.replies()).toEqual(['day of v2?', 'and hour?', 'Monday by v2'])
})

it('a conversation whose script no process has waits for a newer process for ten minutes, and then counts as changed', async () => {
  await using world = await openVirtual(routesOf(2))
  const says = async (text: string) => {
    await world.emulator.customer(ASHA).says(text)
    await world.settled()
  }
  await says('book')
  await world.restart(routesOf(1))
  const since = world.now()
  await says('Sunday')
  expect(await world.replies()).toEqual(['day of v2?', 'day of v1?'])
  expect(world.now() - since).toBeGreaterThanOrEqual(600_000)
  expect(world.lines.map(({ message }) => message)).toContain(
    'a conversation was entered by a script that no process has any more: it is taken for a changed one',
  )
  await says('Monday')
  expect((await world.replies()).at(-1)).toBe('Monday by v1')
})
