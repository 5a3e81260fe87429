/** A bot that lets a language model answer: one that takes its time, costs money, and says something else each time. */
import { type ContextOf, createBot, type HistoryEntry } from 'switchhook'
import { isSignal } from 'switchhook/contract'
import type { Answer, Model, Tool, Turn } from './model.ts'

/** About four characters are a token. The model's own count is more exact, and costs a request. */
const tokensIn = ({ content }: Turn) => Math.ceil(content.length / 4)
/** The most that is sent to the model of one conversation: what it costs, however much the customer writes. */
const TOKEN_BUDGET = 2_000
/** So often the model may ask for tools before it answers. */
const ROUNDS = 4

const TOOLS: readonly Tool[] = [
  {
    name: 'order_status',
    description: 'The state of an order by its number',
    input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  },
  {
    name: 'hand_over',
    description: 'Leaves the customer to a person, if they ask for one or if you cannot help',
    input: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
  },
]

export interface Shop {
  statusOf(order: string): Promise<string>
}

export function createAssistant(model: Model, shop: Shop, { noteAfterMs = 10_000 } = {}) {
  const bot = createBot({
    attempts: { max: 4, deadline: '90s' }, // what `once` waits for counts, what `reply` waits for does not
    staleAfter: '15m', // nobody wants an answer that late
    perCustomer: { messages: 30, every: '1m' }, // another bot that answers this one costs no more
    long: 'split', // an answer that is longer than a message arrives in several
  })

  bot.otherwise(async (ctx) => {
    const note = setTimeout(() => {
      // Its own slot: its key does not depend on whether the note or the answer comes first.
      ctx.reply('One moment, please.', { slot: 'note' }).catch((error) => ctx.log.warn({ err: error }, 'no note'))
    }, noteAfterMs)
    try {
      const answer = await answerTo(ctx, model, shop)
      clearTimeout(note)
      if (answer !== undefined) return void (await ctx.reply(answer, { slot: 'answer' }))
      await ctx.reply('A person will answer you here. Say "back" to talk to me again.', { slot: 'answer' })
      await ctx.handOver({ for: '8h' })
    } finally {
      clearTimeout(note)
    }
  })
  bot.whileTakenOver((b) =>
    b.hears('back', async (ctx) => {
      await ctx.resume()
      await ctx.reply('Here I am again.')
    }),
  )
  bot.onDead((_error, ctx) => ctx.reply('Sorry, I have no answer. Please ask again in a while.'))
  return bot
}

type Ctx = ContextOf<ReturnType<typeof createBot>>

/** The text for the customer; undefined if the model leaves them to a person. */
async function answerTo(ctx: Ctx, model: Model, shop: Shop): Promise<string | undefined> {
  const turns = await ctx.once('history', async () => withinBudget(turnsOf(await ctx.history({ last: 50 }))))
  for (let round = 1; round <= ROUNDS; round++) {
    // Stored with the delivery: a retry pays for no answer twice, and calls no tool again.
    const answer: Answer = await ctx.once(`model ${round}`, () => model({ turns, tools: TOOLS, signal: ctx.signal }))
    if ('text' in answer) return answer.text
    for (const [place, { tool, input }] of answer.calls.entries()) {
      if (tool === 'hand_over') return undefined
      const result = await ctx.once(`tool ${round}.${place}`, () => runTool(tool, input, shop))
      turns.push({ role: 'assistant', content: `(calls ${tool})` }, { role: 'tool', content: result })
    }
  }
  return undefined
}

/** A result is a text for the model. An error of the app is one too: the model can say so. */
async function runTool(tool: string, input: Readonly<Record<string, unknown>>, shop: Shop): Promise<string> {
  if (tool !== 'order_status') return `There is no tool ${tool}`
  return shop.statusOf(String(input['order']))
}

/** Both sides without what nobody wrote, such as a reaction, and without the bot's "one moment", of which the model would learn to say it. */
function turnsOf(history: readonly HistoryEntry[]): Turn[] {
  return history.flatMap(({ by, kind, text, slot, template, gone }) => {
    if (gone || slot === 'note' || isSignal(kind)) return []
    const content = text ?? (template ? `(${template.name}: ${template.parameters.join(', ')})` : `(${kind})`)
    return [{ role: by === 'customer' ? 'user' : 'assistant', content }] as const
  })
}

/** The latest turns that fit, at least the last one. */
function withinBudget(turns: readonly Turn[]): Turn[] {
  const kept: Turn[] = []
  let tokens = 0
  for (const turn of turns.toReversed()) {
    tokens += tokensIn(turn)
    if (kept.length > 0 && tokens > TOKEN_BUDGET) break
    kept.unshift(turn)
  }
  return kept
}
