/** The bot has its own module, because the app and the handlers need it. It does nothing until it is started. */
import { createBot } from 'switchhook'

export const bot = createBot() // everything from the environment
