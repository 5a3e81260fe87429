import { expect, it } from 'vitest'
import { openBots } from './bots.ts'

it('a process that is killed between the settlement of a failed send and its handler leaves the handler to the next one, once [F-107]', async () => {
  await using bots = await openBots('failed-send-bot.ts')
  const said: unknown[] = []
  const launch = (how: 'send' | 'go') => {
    const bot = bots.launch([how, bots.port])
    bot.on('message', (message) => said.push(message))
    return bot
  }
  await bots.emulator.faults.set([{ on: 'send', do: 'status', status: 422, next: 1 }])
  const killed = launch('send')
  await expect.poll(() => said).toEqual(['listening', 'settled'])
  await bots.kill(killed)

  launch('go')
  await expect.poll(() => new Set(said.slice(2))).toEqual(new Set(['listening', 'refused 7781 validation_error']))
})
