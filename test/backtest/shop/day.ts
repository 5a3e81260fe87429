import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { createEmulator } from 'switchhook/emulator'

const CUSTOMERS = 250
/** Each customer writes these, beginning at another one; the first message of all brings the buttons that they tap. */
const MESSAGES = [
  'hours',
  'tap:hours',
  '7781',
  'saa',
  '#7782',
  'tap:track',
  '7799',
  'habari',
  'tap:person',
  'asante',
] as const
const ROUNDS = 20

export type Message = 'habari' | (typeof MESSAGES)[number]

/** Has the shop answer 5,000 messages of an emulator's customers, and tells how often each of them was written. */
export async function liveADay(program: string, env: NodeJS.ProcessEnv): Promise<Map<Message, number>> {
  await using emulator = await createEmulator({ seed: 1, assumptions: { declaredEvents: 'unpublished' } })
  const app = spawn(process.execPath, ['--conditions=switchhook-source', program], {
    env: {
      ...env,
      PORT: '0',
      SWITCHHOOK_BASE_URL: emulator.url,
      SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
      SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    await emulator.subscriptions.register({ url: await addressOf(app.stderr), secret: emulator.signingSecret })
    const customers = Array.from({ length: CUSTOMERS }, (_, index) => emulator.customer(`${255712000000 + index}`))
    const written = new Map<Message, number>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, customer] of customers.entries()) {
        const message = round === 0 ? 'habari' : (MESSAGES[(index + round) % MESSAGES.length] ?? 'habari')
        await (message.startsWith('tap:') ? customer.taps(message.slice(4)) : customer.says(message))
        written.set(message, (written.get(message) ?? 0) + 1)
      }
      for (const customer of customers) await answered(customer, round + 1)
    }
    return written
  } finally {
    const ended = once(app, 'exit')
    app.kill('SIGTERM')
    await ended
  }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [url] = /http:\S+/.exec(line) ?? []
    if (url !== undefined) {
      output.resume()
      return url
    }
    console.error(line)
  }
  throw new Error('the shop has not started')
}

async function answered(
  customer: { thread(): Promise<readonly { direction: string }[]> },
  times: number,
): Promise<void> {
  for (let left = 600; left > 0; left--) {
    const thread = await customer.thread()
    if (thread.filter(({ direction }) => direction === 'OUTBOUND').length >= times) return
    await wait(100)
  }
  throw new Error('a customer was not answered within a minute')
}
