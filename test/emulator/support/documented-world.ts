import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { control, CUSTOMER, send } from './api.ts'
import { startApp } from './app.ts'
import { manualTime } from './time.ts'

/** Values for the words in capitals of docs/control-api.md stand for. */
export type Names = Readonly<Record<'CALL' | 'DELIVERY' | 'MESSAGE' | 'SUBSCRIPTION' | 'TEMPLATE', string>>

export interface DocumentedWorld {
  readonly emulator: Emulator
  names(): Promise<Names>
  /** Lets all that is due arrive. */
  settle(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The emulator of the examples: a customer wrote, and was answered with a button, a voice note and a one-time code. */
export async function documentedWorld(): Promise<DocumentedWorld> {
  const app = await startApp()
  const time = manualTime()
  const emulator = await createEmulator({
    webhook: app.url,
    seed: 1,
    assumptions: { payloadShape: 0, statusCase: 'lower' },
    internals: time,
  })
  const settle = async () => {
    time.pass(100)
    while ((await emulator.deliveries.list()).some(({ state }) => state === 'pending'))
      await new Promise((resolve) => setImmediate(resolve))
  }
  await emulator.templates.add({ name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' })
  await emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
  await emulator.customer(CUSTOMER).says('hours')
  await settle()
  const to = CUSTOMER
  const buttons = { type: 'buttons', body: 'How can we help?', buttons: [{ id: 'track', title: 'Track order' }] }
  const code = { type: 'body', parameters: [{ type: 'text', text: '482913' }] }
  const named = { template_name: 'login_code', template_language: 'sw' }
  await send(emulator, { to, type: 'interactive', interactive: buttons }, { 'Idempotency-Key': 'reply-1' })
  await send(emulator, { to, type: 'audio', media_url: 'https://media.example.com/1.ogg' })
  await send(emulator, { to, type: 'template', ...named, template_components: [code] })
  await settle()
  return {
    emulator,
    settle,
    async names() {
      const items = async (path: string) => (await control(emulator, 'GET', path)).json.items
      const [thread, deliveries] = [await items(`customers/${CUSTOMER}/thread`), await items('deliveries')]
      return {
        CALL: thread[1]?.call,
        DELIVERY: deliveries[0]?.id,
        MESSAGE: thread[1]?.id,
        SUBSCRIPTION: (await items('subscriptions')).at(-1)?.id,
        TEMPLATE: (await items('templates')).at(-1)?.id,
      }
    },
    async [Symbol.asyncDispose]() {
      await emulator.close()
      await app[Symbol.asyncDispose]()
    },
  }
}
