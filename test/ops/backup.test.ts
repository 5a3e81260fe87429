import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonLines, startSwitchhook, switchhook } from '../kit/cli/support.ts'
import { freePort } from '../support/free-port.ts'
import { openBots } from './bots.ts'
import { createPoster, messageFrom } from '../../tools/torture/post.ts'

const CUSTOMERS = Array.from({ length: 8 }, (_, n) => `25571200010${n}`)
const NEWCOMER = '255712000199'
const BEFORE = 60

it('a backup beside two working processes has everything acknowledged before it began, and a bot over it holds its sends [F-65]', async () => {
  await using bots = await openBots('role-bot.ts', { posts: false })
  const { emulator, database } = bots
  const backup = join(dirname(database), 'backup.db')
  const poster = createPoster(emulator.signingSecret)
  const launch = async (port: number, over = database) => {
    const bot = bots.launch([port], { SWITCHHOOK_DATABASE: over })
    await once(bot, 'message')
    return { bot, post: (of: string, text: string) => poster.post(webhookAt(port), messageFrom(of, text)) }
  }
  try {
    for (const customer of [...CUSTOMERS, NEWCOMER]) await emulator.customer(customer).says('hello')
    await emulator.faults.set([{ on: 'send', do: 'cut_before' }])
    const processes = [await launch(bots.port), await launch(await freePort())]
    const acknowledged: string[] = []
    let goesOn = true
    const posting = processes.map(async ({ post }, at) => {
      for (let n = 0; goesOn; n++) {
        const text = `${at} ${n}`
        const outcome = await post(CUSTOMERS[n % CUSTOMERS.length] as string, text)
        if ('status' in outcome && outcome.status === 200) acknowledged.push(text)
      }
    })
    await expect.poll(() => acknowledged.length).toBeGreaterThan(BEFORE)
    const before = [...acknowledged]
    await using backingUp = startSwitchhook(['backup', backup, '--database', database])
    expect(await backingUp.ended).toMatchObject({ code: 0 })
    expect(acknowledged.length).toBeGreaterThan(before.length)
    goesOn = false
    await Promise.all(posting)
    for (const { bot } of processes) await bots.kill(bot)
    await emulator.faults.set([])

    const restored = await launch(await freePort(), backup)
    await restored.post(NEWCOMER, 'new')
    await expect.poll(() => bots.replies(NEWCOMER)).toEqual(['new'])
    const held = await switchhook(['outbox', 'ls', '--state', 'held', '--json', '--database', backup])
    expect(jsonLines(held.stdout).length).toBeGreaterThan(0)
    const replies = async () => (await Promise.all(CUSTOMERS.map((customer) => bots.replies(customer)))).flat()
    expect(await replies()).toEqual([])

    await switchhook(['outbox', 'resume', '--database', backup])
    await expect.poll(replies).toEqual(expect.arrayContaining(before))
    const arrived = await replies()
    expect(new Set(arrived).size).toBe(arrived.length)
  } finally {
    poster.close()
  }
})

const webhookAt = (port: number) => `http://127.0.0.1:${port}/webhooks/messages`
