/** Handles what functions with the role 'receive' have stored, over the same database. It answers only `/health`. */
import { serve } from 'switchhook/node'
import { bot } from './bot.ts'

await serve(bot, { port: Number(process.env['PORT'] ?? 3000), role: 'work' })
