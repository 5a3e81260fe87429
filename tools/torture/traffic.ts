/** Posts a plan's messages as the service does: each until it is acknowledged, some twice, out of order. */
import { setTimeout as wait } from 'node:timers/promises'
import { partsOf, type Who } from './decks.ts'
import type { Plan, PlannedMessage } from './plan.ts'
import { type Delivery, messageFrom, type Outcome, type Poster } from './post.ts'

/** One post of a message; times are real. */
export interface Post {
  readonly to: Who
  readonly from: number
  readonly until: number
  readonly outcome: Outcome
}

/** The fate of a message on its way to the app. */
export interface Sent {
  readonly message: PlannedMessage
  /** Payload time. */
  readonly at: number
  readonly id: string
  readonly posts: Post[]
  /** The real time of its first acknowledgement. */
  acknowledgedAt: number | undefined
}

export interface Traffic {
  readonly sent: ReadonlyMap<string, Sent>
  /** Resolves when so many messages are acknowledged; with false if it never comes to that. */
  reaches(count: number): Promise<boolean>
  /** Resolves when all are acknowledged, all their duplicates too. */
  readonly done: Promise<void>
}

const RETRY_AFTER_MS = 25

export function startTraffic(o: {
  plan: Plan
  poster: Poster
  url: (who: Who) => string
  /** Payload time of the first message. */
  epoch: number
}): Traffic {
  const sent = new Map<string, Sent>()
  const waiting = new Set<() => void>()
  let acknowledged = 0
  let over = false
  const { length: receivers } = partsOf(o.plan.team).receivers

  async function deliver(delivery: Delivery, to: Who, story: Sent): Promise<void> {
    for (let who = to; ; who = (who + 1) % receivers) {
      const from = Date.now()
      const outcome = await o.poster.post(o.url(who), delivery)
      story.posts.push({ to: who, from, until: Date.now(), outcome })
      if ('status' in outcome && outcome.status === 200) return acknowledge(story)
      await wait(RETRY_AFTER_MS)
    }
  }

  function acknowledge(story: Sent): void {
    if (story.acknowledgedAt !== undefined) return
    story.acknowledgedAt = Date.now()
    acknowledged++
    for (const look of waiting) look()
  }

  async function post(message: PlannedMessage): Promise<void> {
    const at = o.epoch + message.at
    const delivery = messageFrom(message.customer, message.text, at)
    const story: Sent = { message, at, id: delivery.id, posts: [], acknowledgedAt: undefined }
    sent.set(message.text, story)
    const { again } = message
    const atOnce = again?.when === 'at once' ? deliver(delivery, again.to, story) : undefined
    await Promise.all([deliver(delivery, message.to, story), atOnce])
    if (again?.when === 'later') await deliver(delivery, again.to, story)
  }

  async function writeAll(): Promise<void> {
    const writers = [...o.plan.bursts.values()].map(async (bursts) => {
      for (const { together, messages } of bursts)
        if (together) await Promise.all(messages.map(post))
        else for (const message of messages) await post(message)
    })
    await Promise.all(writers)
    over = true
    for (const look of waiting) look()
  }

  return {
    sent,
    done: writeAll(),
    reaches: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (acknowledged < count && !over) return
          waiting.delete(look)
          resolve(acknowledged >= count)
        }
        waiting.add(look)
        look()
      }),
  }
}
