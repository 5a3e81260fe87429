/** The same kilobyte in the form of each peer, signed as its service signs. */
import { createHmac } from 'node:crypto'
import { SECRET } from './contenders.ts'
import { filled, type Scheme } from './requests.ts'

export type Peer = 'stripe' | 'standardwebhooks' | 'bolt' | 'grammy' | 'octokit'

const FORGER = 'another-secret-of-some-length'

export const SCHEMES: Record<Peer, Scheme> = {
  stripe(id, index, { forged }) {
    const object = {
      id: `pi_${id}`,
      object: 'payment_intent',
      amount: 35_000,
      currency: 'tzs',
      customer: `cus_${index}`,
    }
    const event = { id: `evt_${id}`, object: 'event', created: seconds(), livemode: false, pending_webhooks: 1 }
    const type = 'payment_intent.succeeded'
    const body = filled((text) => ({ ...event, type, data: { object: { ...object, description: text } } }))
    const time = seconds()
    return { headers: { 'Stripe-Signature': `t=${time},v1=${hex(`${time}.${body}`, forged)}` }, body }
  },

  standardwebhooks(id, index, { forged }) {
    const timestamp = new Date().toISOString()
    const body = filled((text) => ({ type: 'message.received', timestamp, data: { id, from: String(index), text } }))
    const time = seconds()
    const mac = createHmac('sha256', forged ? FORGER : SECRET)
      .update(`msg_${id}.${time}.${body}`)
      .digest('base64')
    const headers = {
      'webhook-id': `msg_${id}`,
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${mac}`,
    }
    return { headers, body }
  },

  bolt(id, index, { forged }) {
    const [time, user] = [seconds(), `U${index}`]
    const at = `${time}.${String(index).padStart(6, '0')}`
    const message = { type: 'message', channel: 'C024BE91L', user, ts: at, event_ts: at, channel_type: 'channel' }
    const envelope = { token: 'of-nobody', team_id: 'T061EG9R6', api_app_id: 'A0MDYCDME', type: 'event_callback' }
    const authorizations = [{ enterprise_id: null, team_id: 'T061EG9R6', user_id: 'U0000000001', is_bot: true }]
    const body = filled((text) => ({
      ...envelope,
      event: { ...message, text },
      event_id: `Ev${id}`,
      event_time: time,
      authorizations,
    }))
    const signature = `v0=${hex(`v0:${time}:${body}`, forged)}`
    return { headers: { 'X-Slack-Request-Timestamp': String(time), 'X-Slack-Signature': signature }, body }
  },

  grammy(_id, index, { forged }) {
    const person = { id: 700_000_000 + index, first_name: 'Asha' }
    const body = filled((text) => ({
      update_id: index,
      message: {
        message_id: index,
        from: { ...person, is_bot: false },
        chat: { ...person, type: 'private' },
        date: seconds(),
        text,
      },
    }))
    return { headers: { 'X-Telegram-Bot-Api-Secret-Token': forged ? FORGER : SECRET }, body }
  },

  octokit(id, index, { forged }) {
    const sender = { id: 1, login: 'asha', type: 'User' }
    const repository = { id: 2, name: 'shop', full_name: 'asha/shop', private: true, owner: sender }
    const body = filled((text) => ({
      action: 'opened',
      issue: { id: index, number: index, title: 'Bei ya viatu', user: sender, body: text },
      repository,
      sender,
    }))
    const headers = {
      'X-GitHub-Event': 'issues',
      'X-GitHub-Delivery': id,
      'X-Hub-Signature-256': `sha256=${hex(body, forged)}`,
    }
    return { headers, body }
  },
}

function hex(signed: string, forged = false): string {
  return createHmac('sha256', forged ? FORGER : SECRET)
    .update(signed)
    .digest('hex')
}

function seconds(): number {
  return Math.floor(Date.now() / 1000)
}

export type ReceiverName = 'ours' | 'plain' | 'insert' | 'ours-reply' | 'plain-reply' | Peer
/** A contender's name; `refusing` is its turn with forgeries alone. */
export type TurnName = ReceiverName | `${'ours' | 'plain'} refusing`
