/** `npm run clinic` runs it beside an emulator of the service, where you are the customer. */
import { serve } from 'switchhook/node'
import { createCalendar } from './calendar.ts'
import { createClinic } from './clinic.ts'

const { url } = await serve(createClinic(createCalendar()), { port: Number(process.env['PORT'] ?? 3000) })
console.error(`The clinic listens at ${url}`)
