/** A clinic that books visits: a dialogue that takes as long as its customer does, and a reminder the day before. */
import { createBot, list, media, template } from 'switchhook'
import { z } from 'zod'
import { type Calendar, dayBefore } from './calendar.ts'

export function createClinic(calendar: Calendar) {
  const bot = createBot({ burst: { quiet: '1500ms', max: '8s' } }) // three photos in a row are one answer
  const booking = bot.conversation(
    'booking',
    {
      version: 1,
      timeout: '3d', // for each question
      cancelWords: ['cancel', 'ghairi'],
      passThrough: [/\bhours\b/i],
      onEnd: (ctx, why) =>
        ctx.reply(why === 'cancelled' ? 'Nothing is booked.' : 'We have stopped here.', { outsideWindow: STOPPED }),
    },
    async (chat) => {
      const day = await chat.ask('Which day?', {
        as: z.iso.date(),
        invalid: 'Please write it as 2026-12-24.',
        tries: 3,
      })
      const free = await chat.once('free', () => calendar.free(day))
      if (free.length === 0) return chat.say(`Nothing is free on ${day}. Say "book" to try another day.`)
      const time = await chat.ask(list('What time?', free))
      const papers = await chat.ask('Photos of your papers, or NO', { as: media('image', { max: 3, skip: ['no'] }) })
      const visit = await chat.once('book', () => calendar.book(chat.customer, day, time, papers))
      if (!visit) return chat.say(`Somebody was faster: ${time} is taken. Say "book" to try again.`)
      await chat.say(`Booked: ${day}, ${time}. Papers: ${papers.length}.`)
      const reminder = template('visit_reminder', 'en', { body: [day, time] }) // by then the window may be closed
      await chat.send(reminder, { key: ['remind', visit.id], at: dayBefore(visit) })
    },
  )

  bot.hears(['book', 'miadi'], (ctx) => ctx.enter(booking))
  bot.hears(/\bhours\b/i, (ctx) => ctx.reply('We are open from 8 to 16, Monday to Saturday.'))
  bot.otherwise((ctx) => ctx.reply('Say "book" for a visit, or "hours".'))
  return bot
}

const STOPPED = template('booking_stopped', 'en')
