/** `npm run assistant` runs it beside an emulator of the service, where you are the customer. */
import { serve } from 'switchhook/node'
import { createAssistant } from './assistant.ts'
import { stub } from './model.ts'

// Your own shop's database.
const shop = { statusOf: async (order: string) => `order ${order} is on its way` }
const { url } = await serve(createAssistant(stub, shop), { port: Number(process.env['PORT'] ?? 3000) })
console.error(`The assistant listens at ${url}`)
