/**
 * A peer in its own process: what its documentation shows for receiving one kind of event, with a handler that
 * counts. None of them stores anything.
 */
import type { RequestListener } from 'node:http'
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks'
import bolt from '@slack/bolt'
import express from 'express'
import { Bot, webhookCallback } from 'grammy'
import type { UserFromGetMe } from 'grammy/types'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { serve } from '../serve.ts'

const [, , peer = '', secret = ''] = process.argv
const PATH = '/webhooks/messages'
let handled = 0

const PEERS: Record<string, () => RequestListener> = { stripe, standardwebhooks, bolt: slack, grammy, octokit }
const listener = PEERS[peer]?.()
if (!listener) throw new Error(`no peer ${peer}`)
serve(listener, { figures: () => ({ handled }) })

function stripe(): RequestListener {
  const { webhooks } = new Stripe('sk_test_of_nobody')
  const app = express()
  app.post(PATH, express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
    let event: Stripe.Event
    try {
      event = webhooks.constructEvent(request.body, request.headers['stripe-signature'] ?? '', secret)
    } catch {
      return response.sendStatus(400)
    }
    if (event.type === 'payment_intent.succeeded') handled++
    return response.json({ received: true })
  })
  return app
}

function standardwebhooks(): RequestListener {
  const webhook = new Webhook(Buffer.from(secret).toString('base64'))
  const app = express()
  app.post(PATH, express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
    try {
      webhook.verify(request.body, request.headers as Record<string, string>)
    } catch {
      return response.sendStatus(400)
    }
    handled++
    return response.json({ received: true })
  })
  return app
}

/** Its receiver for node:http, which is the faster of its two. */
function slack(): RequestListener {
  const receiver = new bolt.HTTPReceiver({ signingSecret: secret, endpoints: PATH, logLevel: bolt.LogLevel.ERROR })
  const authorize = async () => ({ botToken: 'xoxb-of-nobody', botId: 'B0000000001', botUserId: 'U0000000001' })
  const app = new bolt.App({ receiver, authorize, logLevel: bolt.LogLevel.ERROR })
  app.message(async () => {
    handled++
  })
  return receiver.requestListener
}

/** Its updates are not signed: it compares a token in a header, so nothing is computed over the body. */
function grammy(): RequestListener {
  const me = { id: 1, is_bot: true, first_name: 'Bot', username: 'bot' }
  const bot = new Bot('1:of-nobody', { botInfo: me as UserFromGetMe })
  bot.on('message:text', () => {
    handled++
  })
  const app = express()
  app.post(PATH, express.json({ limit: '1mb' }), webhookCallback(bot, 'express', { secretToken: secret }))
  return app
}

/** Its middleware for node:http. Its signature covers no time. */
function octokit(): RequestListener {
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
  const webhooks = new Webhooks({ secret, log })
  webhooks.on('issues.opened', () => {
    handled++
  })
  return createNodeMiddleware(webhooks, { path: PATH, log }) as RequestListener
}

/** It logs each forgery with its stack, which would cost more than all the rest. */
function quiet(): void {}
