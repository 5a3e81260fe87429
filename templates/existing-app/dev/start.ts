/** `npm run dev`: gives the emulator the templates, and starts the app beside it. */
import { templates } from './templates.ts'

const { SWITCHHOOK_EMULATOR: emulator, SWITCHHOOK_CONTROL_TOKEN: token } = process.env

for (const template of templates) {
  const { ok, status } = await fetch(`${emulator}/_emulator/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(template),
  })
  // 409: the emulator has the template since before a restart.
  if (!ok && status !== 409) throw new Error(`the emulator did not take ${template.name}: ${status}`)
}
await import('../src/main.ts')
