/**
 * The office's side: it sends news to those who did not say STOP, and gives customers back to the bot.
 *
 * `npm run support-desk` runs it beside an emulator of the service, where you are the customer.
 */
import express from 'express'
import { webhook } from 'switchhook/express'
import { bot } from './bot.ts'

await bot.start()

const app = express()
app.use('/webhooks/messages', webhook(bot)) // before express.json()
app.use(express.json())

app.post('/office/news', async (request, response) => {
  const { id, customer, text } = request.body
  const result = await bot.to(customer).send(text, { key: ['news', id, customer], kind: 'marketing' })
  response.json(result.via === 'skipped' ? { via: result.via, why: result.why } : { via: result.via })
})
app.post('/office/customers/:customer/back', async (request, response) => {
  await bot.to(request.params.customer).resume()
  response.sendStatus(204)
})

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', (error) => {
  if (error) throw error
  console.error('The desk is open.')
})
process.on('SIGTERM', () => {
  // In this order: until it has stopped, the bot still stores what comes.
  void bot.stop().then(() => server.close())
})
