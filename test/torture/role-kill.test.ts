import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'switchhook/emulator'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { ASHA, JUMA } from '../support/people.ts'
import { createPoster, messageFrom } from './post.ts'

const CUSTOMERS = [ASHA, JUMA]
const EACH = 20

it('a receiver and a worker on one file, each killed amid their work, lose nothing, double nothing, and keep the order [F-65, R DEL-01]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-roles-'))
  const port = await freePort()
  const webhook = `http://127.0.0.1:${port}/webhooks/messages`
  const emulator = await createEmulator({})
  const poster = createPoster(emulator.signingSecret)
  const children: ChildProcess[] = []
  const said: string[] = []
  const launch = async (role: 'receive' | 'work', at: number, haltsAfter?: number) => {
    const child = fork(
      join(import.meta.dirname, 'role-bot.ts'),
      [at, haltsAfter].filter((one) => one !== undefined).map(String),
      {
        execArgv: ['--conditions=switchhook-source'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: {
          ...process.env,
          SWITCHHOOK_BASE_URL: emulator.url,
          SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
          SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
          SWITCHHOOK_DATABASE: join(folder, 'switchhook.db'),
          SWITCHHOOK_ROLE: role,
        },
      },
    )
    children.push(child)
    child.on('message', (message: string) => void said.push(`${role}: ${message}`))
    await once(child, 'message')
    return child
  }
  const replies = async (customer: string) =>
    (await emulator.customer(customer).thread())
      .filter(({ direction }) => direction === 'OUTBOUND')
      .map(({ text }) => text)
  /** As the service does: the same delivery again until it is answered with 200. */
  const deliver = async (customer: string, text: string) => {
    const delivery = messageFrom(customer, text)
    await expect.poll(() => poster.post(webhook, delivery)).toMatchObject({ status: 200 })
  }
  const deliverAll = async (customer: string) => {
    for (let n = 1; n <= EACH; n++) await deliver(customer, String(n))
  }
  try {
    // Opens the windows, beside the bot.
    for (const customer of CUSTOMERS) await emulator.customer(customer).says('hello')
    const receiver = await launch('receive', port, 7)
    const worker = await launch('work', await freePort(), 9)
    const delivered = Promise.all(CUSTOMERS.map(deliverAll))
    await expect.poll(() => said).toContain('receive: halted')
    await end(receiver)
    await launch('receive', port)
    await expect.poll(() => said).toContain('work: halted')
    await end(worker)
    await delivered
    await launch('work', await freePort())
    const texts = Array.from({ length: EACH }, (_, index) => String(index + 1))
    for (const customer of CUSTOMERS) await expect.poll(() => replies(customer)).toEqual(texts)
    expect(said).not.toContain('receive: handles')
  } finally {
    poster.close()
    await Promise.all(children.map((child) => end(child)))
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
