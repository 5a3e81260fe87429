/** The bot has its own module, because the app and the handlers need it. It does nothing until it is started. */
import { createBot } from 'switchhook'

// The rest comes from the environment. Two bots that answer each other come to an end.
export const bot = createBot({ perCustomer: { messages: 30, every: '1m' } })
