/** `app/webhooks/messages/route.ts` of a Next app. It stores deliveries; `worker.ts` handles them. */
import { webhook } from 'switchhook/fetch'
import { bot } from './bot.ts'

await bot.start({ role: 'receive' })

export const runtime = 'nodejs'
export const POST = webhook(bot)
