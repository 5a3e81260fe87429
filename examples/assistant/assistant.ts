/** A bot that lets a language model answer: one that takes its time, costs money, and says something else each time. */
import { createBot, type Said } from 'switchhook'
import type { Model, Turn } from './model.ts'

export function createAssistant(model: Model, { noteAfterMs = 10_000 } = {}) {
  const bot = createBot({
    attempts: { max: 4, deadline: '90s' }, // what `once` waits for counts, what `reply` waits for does not
    staleAfter: '15m', // nobody wants an answer that late
  })

  bot.otherwise(async (ctx) => {
    const note = setTimeout(() => {
      // Its own slot: its key does not depend on whether the note or the answer comes first.
      ctx.reply('One moment, please.', { slot: 'note' }).catch((error) => ctx.log.warn({ err: error }, 'no note'))
    }, noteAfterMs)
    try {
      const answer = await ctx.once('answer', async () => model(turnsOf(await ctx.history(20)), ctx.signal))
      clearTimeout(note)
      await ctx.reply(answer, { slot: 'answer' })
    } finally {
      clearTimeout(note)
    }
  })
  bot.onDead((_error, ctx) => ctx.reply('Sorry, I have no answer. Please ask again in a while.'))
  return bot
}

function turnsOf(history: readonly Said[]): Turn[] {
  return history.flatMap(({ by, kind, text, template, gone }) => {
    if (gone) return []
    const content = text ?? (template ? `(${template.name}: ${template.parameters.join(', ')})` : `(${kind})`)
    return [{ role: by === 'customer' ? 'user' : 'assistant', content }] as const
  })
}
