/** Two bots on one database, as in a deployment: one receives, the other works. */
import { createBot, signDelivery } from 'switchhook'
import { webhook } from 'switchhook/fetch'
import { SECRET } from '../contenders.ts'
import { type Contender, type Delivery, each } from './contender.ts'

export async function ours(database: string): Promise<Contender> {
  const receiver = makeBot(database, () => {})
  const receive = webhook(receiver)
  await receiver.start({ role: 'receive' })
  let waiting = 0

  async function post({ id, body }: Delivery): Promise<void> {
    const headers = signDelivery({ body, secret: SECRET, at: new Date(), event: 'message.received', deliveryId: id })
    const answer = await receive(new Request('http://127.0.0.1/', { method: 'POST', headers, body }))
    if (answer.status !== 200) throw new Error(`a delivery was answered with ${answer.status}`)
    waiting++
  }

  return {
    name: 'ours',
    accept: (deliveries) => each(deliveries, post),
    async handle() {
      const handled = await work(database, waiting)
      waiting -= handled
      return handled
    },
    async [Symbol.asyncDispose]() {
      await receiver.stop()
    },
  }
}

/** Handles at least so many messages; resolves with how many they were, once they are settled. */
export async function work(database: string, count: number): Promise<number> {
  let handled = 0
  const enough = Promise.withResolvers<void>()
  if (count === 0) enough.resolve()
  const worker = makeBot(database, () => {
    if (++handled === count) enough.resolve()
  })
  await worker.start({ role: 'work' })
  await enough.promise
  await worker.stop()
  return handled
}

/** The same code in all processes: what nobody hears is not kept for anybody. */
function makeBot(database: string, handle: () => void) {
  const bot = createBot({ database, signingSecret: SECRET, logger: false })
  bot.otherwise(handle)
  return bot
}
