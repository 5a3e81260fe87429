import { once } from 'node:events'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { ASHA, JUMA } from '../support/people.ts'
import { openBots } from './bots.ts'
import { createPoster, messageFrom } from '../../tools/torture/post.ts'

const CUSTOMERS = [ASHA, JUMA]
const EACH = 20

it('a receiver and a worker on one file, each killed amid their work, lose nothing, double nothing, and keep the order [F-65, R DEL-01]', async () => {
  await using bots = await openBots('role-bot.ts', { posts: false })
  const { emulator, port } = bots
  const webhook = `http://127.0.0.1:${port}/webhooks/messages`
  const poster = createPoster(emulator.signingSecret)
  const said: string[] = []
  const launch = async (role: 'receive' | 'work', at: number, haltsAfter?: number) => {
    const args = haltsAfter === undefined ? [at] : [at, haltsAfter]
    const bot = bots.launch(args, { SWITCHHOOK_ROLE: role })
    bot.on('message', (message: string) => void said.push(`${role}: ${message}`))
    await once(bot, 'message')
    return bot
  }
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
    await bots.kill(receiver)
    await launch('receive', port)
    await expect.poll(() => said).toContain('work: halted')
    await bots.kill(worker)
    await delivered
    await launch('work', await freePort())
    const texts = Array.from({ length: EACH }, (_, index) => String(index + 1))
    for (const customer of CUSTOMERS) await expect.poll(() => bots.replies(customer)).toEqual(texts)
    expect(said).not.toContain('receive: handles')
  } finally {
    poster.close()
  }
})
