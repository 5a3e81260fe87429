import { once } from 'node:events'
import { expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { ASHA } from '../support/people.ts'
import { openBots } from './bots.ts'

it('a process that is killed between reply and settlement leaves the old session, and one reply [F-47, F-65]', async () => {
  await using bots = await openBots('session-bot.ts')
  const asha = bots.emulator.customer(ASHA)
  const launch = async (how: string) => {
    const bot = bots.launch([how, bots.port])
    await once(bot, 'message')
    return bot
  }
  const read = async () => {
    const store = openSqlite(bots.database)
    const found = (await store.customerOf('default', ASHA, 0)).session
    await store.close()
    return found?.value
  }
  const first = await launch('go')
  await asha.says('one')
  await expect.poll(read).toBe('{"n":1}')
  await bots.kill(first)

  const killed = await launch('halt')
  const halted = once(killed, 'message')
  await asha.says('two')
  await halted
  await bots.kill(killed)
  expect([await read(), await bots.replies(ASHA)]).toEqual(['{"n":1}', ['1', '2']])

  await launch('go')
  await expect.poll(read).toBe('{"n":2}')
  expect(await bots.replies(ASHA)).toEqual(['1', '2'])
})
