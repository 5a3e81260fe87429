/** Starts the bot: `npm run dev` beside an emulator of the service, `npm start` for the service itself. */
import { serve } from 'switchhook/node'
import { bot } from './bot.ts'
import { readEnvironment } from './environment.ts'

const { PORT } = readEnvironment(process.env)
const { url } = await serve(bot, { port: PORT }) // SIGTERM stops it, in the right order
console.error(`The bot listens at ${url}`)
