/** Runs the shop beside an emulator that has the shop's templates, for trying it out. Both end with the process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'switchhook/emulator'

const port = Number(process.env['PORT'] ?? 3000)
const emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
await emulator.templates.add({ name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' })
await emulator.templates.add({ name: 'pickup_reminder', language: 'en', body: 'Your order {{1}} still waits for you.' })
await emulator.templates.add({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' })

process.env['SWITCHHOOK_BASE_URL'] = emulator.url
process.env['SWITCHHOOK_ACCESS_TOKEN'] = emulator.accessToken
process.env['SWITCHHOOK_SIGNING_SECRET'] = emulator.signingSecret
// The emulator's state ends with the process, so the app starts with an empty database too.
const folder = mkdtempSync(join(tmpdir(), 'existing-app-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.env['SWITCHHOOK_DATABASE'] = join(folder, 'switchhook.db')
await import('./server.ts')

const shop = `http://127.0.0.1:${port}`
const control = `${emulator.url}/_emulator`
const withToken = `-H 'authorization: Bearer ${emulator.controlToken}'`
const asJson = `-H 'content-type: application/json'`
console.error(`
The order is ready, and the customer's phone shows it:
  curl -X POST ${shop}/orders/7781/ready
  curl ${control}/customers/255712000101/thread ${withToken}
The order knows whether its customer was notified:
  curl ${shop}/orders/7781
Tomorrow the reminder goes out, unless it is collected before:
  curl -X POST ${shop}/orders/7781/collected
  curl -X POST ${control}/clock ${withToken} ${asJson} -d '{"advance":"25h"}'
A login code, which only the phone shows:
  curl -X POST ${shop}/logins ${asJson} -d '{"phone":"255712000101"}'
  curl ${control}/customers/255712000101/codes ${withToken}
Ctrl-C ends it.
`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void emulator.close())
