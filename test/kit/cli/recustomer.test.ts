import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type BotOptions, createBot } from '../../../src/bot/switchhook.ts'
import { brazil } from '../../../src/bot/same-customer.ts'
import { item, send } from '../../store/samples.ts'
import { announced } from '../../store/announced.ts'
import { inboxFolder, arrived } from './inbox-support.ts'
import { switchhook } from './support.ts'

const NINE = '5511987654321'
const EIGHT = '551187654321'

const { inbox, inApp, file, folder } = inboxFolder()
const recustomer = (...args: string[]) => switchhook(['database', 'recustomer', ...args], {}, folder())

/** Starts an app over the database, and stops it. */
async function starts(options: BotOptions = {}): Promise<void> {
  const bot = createBot({ database: file(), signingSecret: 'whsec_tests', logger: false, ...options })
  bot.otherwise(() => {})
  await bot.start()
  await bot.stop()
}

const populate = () =>
  inApp(async (store) => {
    for (const customer of [NINE, EIGHT]) await arrived(store, [item({ customer })])
    await store.openSend(send({ customer: EIGHT, body: `{"to":"${EIGHT}","type":"text","text":"hi"}` }))
  })

describe('switchhook database recustomer', () => {
  it('moves customers to a rule, with which the app starts then, and not before', async () => {
    await populate()
    await starts()
    await expect(starts({ sameCustomer: brazil })).rejects.toThrow(/sameCustomer is new,.*database recustomer/)
    expect(await recustomer('--rule', 'brazil')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Moved 2 rows/),
    })
    await starts({ sameCustomer: brazil })
    await expect(starts()).rejects.toThrow(/sameCustomer was removed/)
    const { stdout } = await inbox('ls', '--customer', EIGHT, '--json')
    expect(stdout.trim().split('\n')).toHaveLength(3)
    expect(await inbox('forget', EIGHT, '--yes')).toMatchObject({
      stderr: expect.stringContaining('items: 2, sends: 1'),
    })
    await starts({ sameCustomer: brazil })
  })

  it('takes several rules, and a file that exports the function', async () => {
    await populate()
    writeFileSync(join(folder(), 'rule.mjs'), 'export const sameCustomer = (digits) => digits.replace(/^9/, "8")\n')
    expect(await recustomer('--rule', 'brazil', '--rule', './rule.mjs', '--json')).toMatchObject({
      code: 0,
      stdout: '{"moved":2}\n',
    })
    await starts({ sameCustomer: (digits) => brazil(digits).replace(/^9/, '8') })
  })

  it.each([
    ['no rule', [], /required option '--rule <name>'/],
    ['an unknown rule', ['--rule', 'chile'], /--rule: expected brazil, mexico, argentina, none, or a file/],
    ['a file without the function', ['--rule', './empty.mjs'], /exports no function named sameCustomer/],
    ['a function that is no rule', ['--rule', './odd.mjs'], /must return 6 to 15 digits/],
  ])('refuses %s, and changes nothing', async (_, args, why) => {
    await populate()
    writeFileSync(join(folder(), 'empty.mjs'), 'export const other = 1\n')
    writeFileSync(join(folder(), 'odd.mjs'), 'export default () => "me"\n')
    expect(await recustomer(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(why) })
    await starts()
  })

  it('refuses while an announcement runs', async () => {
    await populate()
    await inApp((store) => announced(store, [EIGHT]))
    expect(await recustomer('--rule', 'brazil')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('pause it first'),
    })
    await starts()
  })
})
