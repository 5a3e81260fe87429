/** The bot has a module of its own, since the app and the handlers need it. It does nothing until it is started. */
import { createBot } from 'switchhook'

export const bot = createBot() // everything from the environment
