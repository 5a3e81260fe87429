import { join } from 'node:path'
import type express from 'express'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { desk, type DeskOptions, type DeskPerson } from '../../../../src/features/people/desk/desk.ts'
import { webhook } from '../../../../src/bot/inbox/adapters/express.ts'
import { type BotOptions, buttons, createBot } from '../../../../src/bot/switchhook.ts'
import { openHost } from '../../../admin/support/host.ts'
import { openTab, type Tab } from '../../emulator/support/tab.ts'

/** Customers of the clinic. */
export const [ASHA, JUMA, ZUHURA] = ['255719876543', '255712000102', '255713000103'] as const

const STAFF: Readonly<Record<string, DeskPerson>> = {
  neema: { name: 'neema', write: true, reveal: true },
  baraka: { name: 'baraka', write: true, reveal: true },
  guest: { name: 'guest' },
  reader: { name: 'reader', reveal: true },
  zuri: { name: 'zuri', write: true, reveal: true, numbers: ['pharmacy'] },
  wrong: { name: 'wrong', write: true },
}

export const SNIPPETS = [
  { name: 'hours', text: 'We are open from 9 to 17.' },
  {
    name: 'when',
    text: 'Morning or afternoon?',
    content: buttons('Morning or afternoon?', [
      { id: 'am', title: 'Morning' },
      { id: 'pm', title: 'Afternoon' },
    ]),
  },
  { name: 'thanks', text: 'Thank you, and get well soon.' },
]

export type Clinic = Awaited<ReturnType<typeof openClinic>>

/**
 * A clinic whose bot hands over at "person", and takes requests for tomorrow, beside its desk at `/desk`. A header names who
 * sends a request. `pharmacy`: the bot has a second number of that name.
 */
export async function openClinic({
  pharmacy = false,
  ...o
}: Partial<DeskOptions<express.Request>> & { readonly pharmacy?: boolean } = {}) {
  const host = await openHost()
  const { folder, emulator, app, replies } = host
  const staff = { ...STAFF }
  const database = join(folder, 'clinic.db')
  const start = async () => {
    const { accessToken, signingSecret } = emulator
    const own = { accessToken, signingSecret }
    const other = { accessToken: 'of-the-pharmacy', signingSecret: `of-the-pharmacy-${signingSecret}` }
    const options: BotOptions = {
      baseUrl: emulator.url,
      ...(pharmacy ? { numbers: { clinic: own, pharmacy: other } } : own),
      database,
      logger: false,
    }
    const bot = createBot(options)
    bot.hears('person', async (ctx) => {
      await ctx.reply(GREETING)
      await ctx.handOver({ for: '4h' })
    })
    bot.hears('tomorrow', async (ctx) => {
      await ctx.reply('We are closed now. Somebody will answer you in the morning.')
      await ctx.askForPerson()
    })
    bot.otherwise((ctx) => ctx.reply(`re: ${ctx.message.text}`))
    const page = desk(bot, {
      authorize: (request) => staff[request.get('x-who') ?? ''],
      snippets: SNIPPETS,
      colleagues: () => ['neema', 'baraka'],
      ...o,
    })
    await bot.start()
    return { bot, page }
  }
  let running = await start()
  app.use('/webhooks', (...given) => webhook(running.bot)(...given))
  app.use('/desk', (...given) => running.page(...given))
  return {
    url: await host.listen(),
    database,
    emulator,
    /** Who may come in from now on. */
    staff,
    bot: () => running.bot,
    async restart() {
      await running.bot.stop()
      // A process that ends closes them.
      host.hangUp()
      running = await start()
    },
    says: (customer: string, text: string) => emulator.customer(customer).says(text),
    replies,
    async [Symbol.asyncDispose]() {
      await running.bot.stop()
      await host.close()
    },
  }
}

/** The bot’s answer to who asks for a person. */
export const GREETING = 'Somebody will answer you here.'

export const FEVER = 'My child has fever.'

export async function handOver(clinic: Clinic, customer: string, text = FEVER): Promise<void> {
  await clinic.says(customer, 'person')
  await clinic.says(customer, text)
}

/** Opens the desk as a person, in their own browser profile. */
export async function openDeskAs(
  browser: Browser,
  clinic: Pick<Clinic, 'url'>,
  who: string,
  o: BrowserContextOptions & { readonly at?: string } = {},
): Promise<Tab> {
  const { at = '', ...options } = o
  const tab = await openTab(browser, { extraHTTPHeaders: { 'x-who': who }, ...options })
  await tab.page.goto(`${clinic.url}/desk/${at}`)
  return tab
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true } as const
