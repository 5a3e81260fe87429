import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { FrameLocator, Page } from 'playwright-core'
import { createEmulator } from '../../../../src/emulator/emulator.ts'
import { EXAMPLE_PASSWORDS } from '../../../../templates/support-desk/dev/examples.ts'

const START = resolve(import.meta.dirname, '../../../../templates/support-desk/dev/start.ts')

/** A Wednesday in Dar es Salaam, in opening hours. */
const NOON = new Date('2026-03-04T12:00:00+03:00')

/** The support-desk template as `npm run dev` runs it. */
export async function openTemplateDesk() {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-'))
  const emulator = await createEmulator({ seed: 7, now: NOON })
  const child = spawn(process.execPath, ['--conditions=switchhook-source', START], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      SWITCHHOOK_BASE_URL: emulator.url,
      SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
      SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
      SWITCHHOOK_DATABASE: join(folder, 'bot.db'),
      SWITCHHOOK_EMULATOR: emulator.url,
      SWITCHHOOK_CONTROL_TOKEN: emulator.controlToken,
    },
  })
  const url = await pageOf(child.stderr)
  await emulator.subscriptions.register({ url: `${url}/webhooks/messages`, secret: emulator.signingSecret })
  return {
    url,
    emulator,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The address that it prints. */
async function pageOf(stderr: Readable): Promise<string> {
  let printed = ''
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    const url = /side by side: (\S+)\/\n/.exec(printed)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`npm run dev ended: ${printed}`)
}

/** The two halves of the page that `npm run dev` names. */
export function halvesOf(page: Page): { phone: FrameLocator; desk: FrameLocator } {
  return {
    phone: page.frameLocator('iframe[title="The customer’s phone"]'),
    desk: page.frameLocator('iframe[title="The desk"]'),
  }
}

export async function signIn(
  desk: FrameLocator | Page,
  name: keyof typeof EXAMPLE_PASSWORDS,
  password: string = EXAMPLE_PASSWORDS[name],
): Promise<void> {
  await desk.getByLabel('Name').fill(name)
  await desk.getByLabel('Password').fill(password)
  await desk.getByRole('button', { name: 'Sign in' }).click()
}

/** Writes on the phone, as the customer. */
export async function writeOnPhone(phone: FrameLocator, text: string): Promise<void> {
  await phone.getByLabel('Message', { exact: true }).fill(text)
  await phone.getByRole('button', { name: 'Send', exact: true }).click()
}
