/** Queues of others, as their documentation shows them for one job a message. */
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Client, Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import { AT_ONCE, type Contender, each } from '../contender.ts'

/** A job a delivery, each completed alone, in no order. */
export async function pgBoss(database: string): Promise<Contender> {
  const boss = new PgBoss({ connectionString: database, supervise: false, schedule: false })
  // Its connections may end with the server.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('deliveries')
  return {
    name: 'pg-boss',
    accept: (deliveries) => each(deliveries, (delivery) => boss.send('deliveries', delivery)),
    async handle() {
      for (let handled = 0; ; ) {
        const jobs = await boss.fetch('deliveries', { batchSize: AT_ONCE })
        if (jobs.length === 0) return handled
        await each(jobs, ({ id }) => boss.complete('deliveries', id))
        handled += jobs.length
      }
    },
    [Symbol.asyncDispose]: () => boss.stop(),
  }
}

/** A queue for each customer, so that one message of theirs is handled at a time. */
export async function graphileWorker(database: string): Promise<Contender> {
  const logger = new Logger(() => () => {})
  // Not its own: it stops listening to the errors of that one before the connections have ended.
  const pgPool = new Pool({ connectionString: database })
  for (const event of ['error', 'connect'] as const) pgPool.on(event, unheard)
  const utils = await makeWorkerUtils({ pgPool, logger })
  await utils.migrate()
  let [added, done] = [0, 0]
  return {
    name: 'graphile-worker',
    accept: (deliveries) =>
      each(deliveries, async (delivery) => {
        await utils.addJob('handle', delivery, { queueName: delivery.customer })
        added++
      }),
    async handle() {
      const before = done
      const handled = Promise.withResolvers<void>()
      if (done === added) handled.resolve()
      const taskList = { handle: () => void (++done === added && handled.resolve()) }
      const o = { pgPool, concurrency: AT_ONCE, noHandleSignals: true, pollInterval: 500 }
      const runner = await run({ ...o, taskList, logger })
      await handled.promise
      await runner.stop()
      return done - before
    },
    async [Symbol.asyncDispose]() {
      await utils.release()
      await pgPool.end()
    },
  }
}

/** Connections may end with the server: each has its own listener, which the pool removes while somebody uses it. */
function unheard(given: unknown): void {
  if (given instanceof Client) given.on('error', () => {})
}
