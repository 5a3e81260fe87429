import { z } from 'zod'
import { createBot, list, media, template } from 'switchhook'
declare const db: { free(day: string): Promise<string[]>; book(b: { phone: string; day: string; slot: string; photos: string[] }): Promise<{ id: string; at: string }>; file(url: string): Promise<string> }

const bot = createBot({ database: process.env['DATABASE_URL'] ?? 'postgres://localhost/clinic', burst: { quiet: '1500ms', max: '8s' }, session: z.object({ lang: z.enum(['sw', 'en']).default('sw') }), attempts: { deadline: '20s' } })

const booking = bot.conversation('booking', {
  version: 1, timeout: '30m', cancelWords: ['cancel', 'ghairi', 'acha'], passThrough: [/help|msaada/i],
  onEnd: (ctx, why) => ctx.reply(why === 'timeout' ? 'Muda umeisha. Andika MIADI kuanza tena.' : 'Sawa, tumeacha.'),
}, async (chat) => {
  const day = await chat.ask('Siku gani? (2026-12-24)', { as: z.iso.date(), invalid: 'Andika kama 2026-12-24', tries: 3 })
  const free = await chat.once('free', () => db.free(day))
  if (free.length === 0) return chat.say('Hakuna nafasi siku hiyo')
  const slot = await chat.ask(list('Saa ngapi?', free.slice(0, 10).map((s) => ({ id: s, title: s }))))
  const how = await chat.ask(list('Malipo?', [{ id: 'cash', title: 'Taslimu' }, { id: 'card', title: 'Kadi' }]))
  const check: 'cash' | 'card' = how; void check
  const photos = await chat.ask('Picha za cheti, au HAPANA', { as: media('image', { max: 3, skip: ['hapana', 'no'] }) })
  const { id, at } = await chat.once('book', async () => db.book({ phone: chat.customer, day, slot, photos: await Promise.all(photos.map((p) => db.file(p.url))) }))
  await chat.say(`Miadi ${id}: ${day} ${slot}`)
  await chat.once('remind', () => bot.to(chat.customer).send(template('appointment', 'sw', { body: [day, slot] }), { key: ['remind', id], at: new Date(Date.parse(at) - 86_400_000), wait: 'stored' }))
})
bot.hears(/book|miadi/i, (ctx) => ctx.enter(booking))
bot.received('image', (ctx) => ctx.reply(`Asante: ${ctx.messages.length} picha, ${ctx.message.media.url.length}`))
bot.otherwise((ctx) => ctx.reply('Andika MIADI'))
// @ts-expect-error ask exists only where replay is expected
bot.hears('x', (ctx) => ctx.ask('y'))
await bot.start()
