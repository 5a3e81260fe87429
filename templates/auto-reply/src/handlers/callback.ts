import { routes } from 'switchhook'
import { WORDS } from '../words.ts'

export const callback = routes('callback')

/** Asks, and waits for the answer through restarts: on each answer the script runs again from the top. */
const call = callback.conversation('call', { version: 1, timeout: '1d', cancelWords: ['cancel'] }, async (chat) => {
  const when = await chat.ask(WORDS.when)
  await chat.say(WORDS.willCall(when))
})

callback.hears('call me', (ctx) => ctx.enter(call))
