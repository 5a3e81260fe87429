/** The likely mistakes of a user. Each has the part of the compiler's message that a person needs. */
import { z } from 'zod'
import { buttons, type ContextOf, createBot, oneTimeCode, routes, tap, template } from 'switchhook'

const ASHA = '255712000101'
const bot = createBot({
  session: z.object({ lang: z.enum(['sw', 'en']).default('sw') }),
  facts: { 'order.paid': { orderId: 'data.order.id', amount: (json) => Number(json.data.amount) } },
})
const two = createBot({ numbers: { retail: {}, wholesale: {} } })
const other = createBot({ session: z.object({ cart: z.array(z.string()).default([]) }) })
const Order = tap('order', z.object({ id: z.string(), line: z.number() }))

// ── templates ────────────────────────────────────────────────────────────────────────────────────
// @ts-expect-error Source has 1 element(s) but target requires 2.
template('order_update', 'en', { body: ['7781'] })
// @ts-expect-error Argument of type '"fr"' is not assignable to parameter of type '"en" | "sw"'.
template('order_update', 'fr', { body: ['7781', 'paid'] })
// @ts-expect-error '"order_updat"' is not assignable to '"appointment" | "order_ready" | "order_update" | …'.
template('order_updat', 'en', { body: ['7781', 'paid'] })

// ── events ───────────────────────────────────────────────────────────────────────────────────────
// @ts-expect-error Property 'reply' does not exist on type 'EventContext<…, "order.paid">'.
bot.on('order.paid', (ctx) => ctx.reply('x'))
// @ts-expect-error '"message.received"' is not assignable to '"messages are answered by hears(), tapped(), …"'.
bot.on('message.received', () => {})
// @ts-expect-error … is not assignable to '"a status is one of sent, delivered, read, played and failed"'.
bot.on('message.status:deliverd', () => {})
// @ts-expect-error '"total"' is not assignable to '"amount" | "at" | "customer" | "orderId" | "template"'.
bot.on('order.paid', (ctx) => ctx.need('total'))
// @ts-expect-error Type 'number' is not assignable to type 'string'.
bot.on('order.paid', (ctx) => ctx.need('amount') satisfies string)
// @ts-expect-error Property 'reply' does not exist on type 'Base<…>'.
bot.onError((_error, ctx) => ctx.reply('x'))
// @ts-expect-error Type '"again"' is not assignable to type 'MaybeAsync<void | Verdict>'.
bot.onError(() => 'again')

// ── numbers ──────────────────────────────────────────────────────────────────────────────────────
// @ts-expect-error Property 'to' does not exist on type 'Bot<{ …; number: "retail" | "wholesale"; … }>'.
two.to(ASHA)
// @ts-expect-error Argument of type '"retial"' is not assignable to parameter of type '"retail" | "wholesale"'.
two.number('retial')

// ── sessions, and routes written elsewhere ───────────────────────────────────────────────────────
// @ts-expect-error Property 'language' does not exist on type '{ lang: "en" | "sw"; }'.
bot.hears('x', (ctx) => void (ctx.session.language = 'sw'))
// @ts-expect-error Type '"fr"' is not assignable to type '"en" | "sw"'.
bot.hears('x', (ctx) => void (ctx.session.lang = 'fr'))
// @ts-expect-error Property 'lang' is missing in type '{ cart: string[]; }' but required in type '{ lang: … }'.
other.use(routes<typeof bot>())
// @ts-expect-error Property 'lang' is missing in type '{ cart: string[]; }' but required in type '{ lang: … }'.
other.route(() => true, routes<typeof bot>())
// @ts-expect-error Type 'Promise<boolean>' is not assignable to type 'boolean'.
bot.route(async () => true, routes<typeof bot>())
// @ts-expect-error … is not assignable to type '"the context itself has this name: choose another"'.
bot.with((ctx) => ({ customer: { phone: ctx.customer } }))
// @ts-expect-error but 'sesion' does not exist in type 'BotOptions<…>'. Did you mean to write 'session'?
createBot({ sesion: z.object({}) })

// ── taps and texts ───────────────────────────────────────────────────────────────────────────────
// @ts-expect-error Property 'order' does not exist on type '{ id: string; }'.
bot.tapped('order:{id}', (ctx) => ctx.reply(ctx.params.order))
// @ts-expect-error Property 'line' is missing in type '{ id: string; }' but required in type '{ id: string; line: number; }'.
Order.option('#7', { id: '7' })
// @ts-expect-error Property 'nope' does not exist on type '{ id: string; line: number; }'.
bot.tapped(Order, (ctx) => ctx.params.nope)
// @ts-expect-error Property 'match' does not exist on type 'MessageContext<…>'.
bot.hears('x', (ctx) => ctx.match)
// @ts-expect-error Property 'uri' does not exist on type 'MediaFact'.
bot.received('image', (ctx) => ctx.message.media.uri)
// @ts-expect-error No overload matches this call.
bot.received('imagee', () => {})
// @ts-expect-error Argument of type 'number' is not assignable to parameter of type 'Template | Content'.
bot.hears('x', (ctx) => ctx.reply(7781))
// @ts-expect-error 'text' does not exist in type 'Option<string>'.
bot.hears('x', (ctx) => ctx.reply(buttons('?', [{ id: 'a', text: 'A' }])))

// @ts-expect-error Property 'message' does not exist on type 'CustomerContext<…>'.
bot.onWindowClosing('1h', (ctx) => ctx.message)
// @ts-expect-error Argument of type '"an hour"' is not assignable to parameter of type 'Duration'.
bot.onWindowClosing('an hour', () => {})

// ── sends ────────────────────────────────────────────────────────────────────────────────────────
// @ts-expect-error Expected 2 arguments, but got 1.
bot.to(ASHA).send('hi')
// @ts-expect-error Property 'key' is missing in type '{ ref: string; }' but required in type 'SendOptions'.
bot.to(ASHA).send('hi', { ref: '7781' })
// @ts-expect-error but 'refs' does not exist in type 'SendOptions'. Did you mean to write 'ref'?
bot.to(ASHA).send('hi', { key: 'k', refs: '7781' })
// @ts-expect-error 'at' does not exist in type '{ key: SendKey; }'.
bot.to(ASHA).send(oneTimeCode('login_code', 'sw', '4711'), { key: 'k', at: new Date() })
// @ts-expect-error 'key' does not exist in type 'Omit<SendOptions, "key">'.
bot.hears('x', (ctx) => ctx.to(ASHA).send('hi', { key: 'k' }))

// ── and what is right ────────────────────────────────────────────────────────────────────────────
const anyones = routes().hears('x', (ctx) => ctx.reply(`${ctx.customer} ${ctx.number}`))
bot.use(anyones)
two.use(anyones)
bot
  .with((ctx) => ({ t: ctx.session.lang }))
  .with((ctx) => ({ u: ctx.t }))
  .hears('x', (ctx) => ctx.u satisfies 'sw' | 'en')
const late: string = Math.random() > 0.5 ? 'a' : 'b'
bot.on(late, (ctx) => ctx.json)
bot.to(ASHA).send(oneTimeCode('login_code', 'sw', '4711'), { key: 'k' })
bot.received('text', (ctx) => ctx.message.text satisfies string)
const greet = (ctx: ContextOf<typeof bot>) => ctx.reply(ctx.session.lang satisfies 'sw' | 'en')
bot.hears('hi', greet)
bot.onWindowClosing('1h', (ctx) => ctx.reply(ctx.session.lang satisfies 'sw' | 'en', { slot: ctx.customer satisfies string }))
