import { describe, expect, it } from 'vitest'
import { oneTimeCode } from '../../src/bot/switchhook.ts'
import { openRoles } from '../support/roles.ts'
import { ASHA, JUMA, type World } from '../support/world.ts'

const NOTHING = () => {}

/** All that begins, claims or ends work. */
const WORK = [
  'claimItems',
  'claimSends',
  'pending',
  'ingest',
  'settleItem',
  'beginSend',
  'settleSend',
  'prune',
  'resumeSends',
]

const work = (asked: ReadonlySet<string>) => WORK.filter((name) => asked.has(name))

describe('a process that only receives', () => {
  it('stores and answers, and leaves stored deliveries to a worker, which handles each once [R DEL-01, R DEL-03]', async () => {
    const handled: string[] = []
    await using roles = await openRoles((bot, role) =>
      bot.otherwise(async (ctx) => {
        handled.push(role)
        await ctx.reply(`you said ${ctx.message.text}`)
      }),
    )
    const { world, asked } = roles
    for (const customer of [ASHA, JUMA]) await world.emulator.customer(customer).says('hi')
    await world.until(async () => (await storedIn(world)) === 2)
    expect(handled).toEqual([])
    await roles.work()
    await world.until(async () => (await world.replies()).length + (await world.replies(JUMA)).length === 2)
    await world.emulator.customer(ASHA).says('hat')
    await world.until(async () => (await world.replies()).length === 2)
    expect([await world.replies(), await world.replies(JUMA)]).toEqual([
      ['you said hi', 'you said hat'],
      ['you said hi'],
    ])
    expect(handled).toEqual(['work', 'work', 'work'])
    expect(work(asked)).toEqual([])
  })

  it('records the app’s sends, and its call gets the answer that a worker received [F-69, R ERR-01]', async () => {
    await using roles = await openRoles((bot) => bot.otherwise(NOTHING))
    const { world, asked } = roles
    await roles.work()
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await storedIn(world)) === 1)
    expect(await world.bot.to(ASHA).send('ready', { key: 'k' })).toMatchObject({ via: 'freeform', replayed: false })
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 422, next: 1 }])
    await expect(world.bot.to(ASHA).send('refused', { key: 'l' })).rejects.toMatchObject({ status: 422 })
    expect(await world.replies()).toEqual(['ready'])
    expect(work(asked)).toEqual([])
  })

  it('leaves it to a worker to report a failed send when nobody waits [F-107]', async () => {
    const heard: unknown[] = []
    await using roles = await openRoles((bot, role) => {
      bot.otherwise(NOTHING)
      bot.onSendFailed((ctx) => void heard.push([role, ctx.send.ref, ctx.code]))
    })
    const { world } = roles
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 422, next: 1 }])
    await world.bot.to(ASHA).send('ready', { key: 'k', ref: '7781', wait: 'stored' })
    await roles.work()
    await world.until(() => heard.length === 1)
    expect(heard).toEqual([['work', '7781', 'validation_error']])
  })

  it('sends a one-time code itself, because no disk may contain it [R OTP-06]', async () => {
    await using roles = await openRoles((bot) => bot.otherwise(NOTHING))
    const { world } = roles
    await world.emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    const sent = await world.bot.to(ASHA).send(oneTimeCode('login_code', 'sw', '482913'), { key: 'login/1' })
    expect(sent).toMatchObject({ via: 'template', send: { state: 'accepted' } })
  })
})

/** Deliveries that came in and were stored, as the emulator saw their answers. */
async function storedIn(world: World): Promise<number> {
  const deliveries = (await world.emulator.deliveries.list()) as readonly { readonly state: string }[]
  return deliveries.filter(({ state }) => state === 'delivered').length
}
