import { afterEach, beforeEach } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { switchhook } from './support.ts'

export const TOKEN = 'token-canary-4711'

type NewTemplate = Readonly<Record<string, unknown>>

/** An emulator and an app's folder for each test, and commands that run there with the app's environment. */
export function templatesFolder() {
  let emulator: Emulator
  let folder = ''
  beforeEach(async () => {
    folder = temporaryFolder()
    emulator = await createEmulator({ token: TOKEN, seed: 7 })
  })
  afterEach(() => emulator.close())
  const environment = () => ({ SWITCHHOOK_BASE_URL: emulator.url, SWITCHHOOK_ACCESS_TOKEN: TOKEN })
  return {
    emulator: () => emulator,
    folder: () => folder,
    environment,
    add: async (...templates: readonly NewTemplate[]) => {
      for (const template of templates) await emulator.templates.add(template)
    },
    /** The dashboard cannot change a template's text, so all templates are replaced. */
    replaceAll: async (...templates: readonly NewTemplate[]) => {
      await emulator.reset()
      for (const template of templates) await emulator.templates.add(template)
    },
    templates: (args: readonly string[], more: Record<string, string> = {}) =>
      switchhook(['templates', ...args], { ...environment(), ...more }, folder),
  }
}

export const READY_SW = { name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }
export const READY_EN = { name: 'order_ready', language: 'en', body: 'Order {{1}} is ready' }
export const LOGIN = { name: 'login_code', language: 'sw', category: 'AUTHENTICATION' }
export const THANKS = { name: 'thanks', language: 'sw', body: 'Asante', status: 'PAUSED' }
/** A template that is not synchronised yet and shows no body. */
export const FRESH = {
  name: 'fresh',
  language: 'sw',
  synchronised: false,
  components: [{ type: 'FOOTER', text: 'Duka' }],
}
const withHeader = (name: string, header: object) => ({
  name,
  language: 'sw',
  components: [
    { type: 'HEADER', ...header },
    { type: 'BODY', text: 'x' },
  ],
})
export const TITLED = withHeader('titled', { format: 'TEXT', text: 'Oda {{1}}' })
export const INVOICE = withHeader('invoice', { format: 'DOCUMENT' })
export const PROMO = {
  name: 'promo',
  language: 'en_US',
  category: 'MARKETING',
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: '{{1}}, {{ 2 }} and {{1}} again' },
    { type: 'FOOTER', text: 'The shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '255712000199' },
        { type: 'URL', text: 'Order', url: 'https://shop.example/{{1}}' },
        { type: 'QUICK_REPLY', text: 'More' },
        { type: 'URL', text: 'Site', url: 'https://shop.example' },
      ],
    },
  ],
}
