import { reasonOf } from '../base/errors.ts'
import { withoutSignature } from '../content/index.ts'
import type { ThreadItem } from '../emulator/model/thread.ts'
import type { Hooks, Observed } from '../report/index.ts'
import type { NewSend } from '../stores/port/index.ts'
import { messageView } from '../testing/message-view.ts'
import type { Outcome, Played, Recorded, Said } from './recording.ts'

/** Collects what a bot says and what becomes of deliveries, from what its hooks and its service tell. */
export interface Collector {
  readonly hooks: Hooks
  recorded(send: NewSend): void
  /** A message is on a phone. */
  shown(item: ThreadItem): void
  /** A delivery was not handled to its end. */
  failed(id: string, error: unknown): void
  took(id: string, ms: number): void
  played(deliveries: readonly Recorded[]): Played[]
  /** All that no recorded delivery caused. */
  apart(deliveries: readonly Recorded[]): Record<string, Played>
}

interface Collected {
  event?: string | undefined
  outcome?: Outcome
  readonly routes: Set<string>
  failure?: Played['failure']
  readonly said: Said[]
  ms: number
}

/** Outcomes by their weight: of several, as those of a batch, the last one in this list stands. */
const RANK: readonly Outcome[] = ['retried', 'not_handled', 'ignored', 'handled', 'parked', 'quarantined', 'dead']

export function createCollector(): Collector {
  const all = new Map<string, Collected>()
  const sends = new Map<string, NewSend>()
  const items = new Map<string, ThreadItem>()
  const of = (id: string): Collected => {
    const known = all.get(id)
    if (known) return known
    const made = { routes: new Set<string>(), said: [], ms: 0 }
    all.set(id, made)
    return made
  }

  const end = (outcome: Outcome) => (about: Observed) => {
    for (const id of about.deliveryIds ?? [about.deliveryId ?? '']) {
      const it = of(id)
      it.event = about.event
      if (it.outcome !== undefined && RANK.indexOf(it.outcome) > RANK.indexOf(outcome)) continue
      it.outcome = outcome
      if (outcome === 'handled' || outcome === 'ignored') delete it.failure
      else it.failure = failureOf(about)
      if (about.route !== undefined) it.routes.add(about.route)
    }
  }

  const say = (refused?: { code: string }) => (about: Observed) => {
    const { send, deliveryId = '', via } = about
    if (!send) return
    const asked = sends.get(send.id)
    const item = send.messageId === undefined ? undefined : items.get(send.messageId)
    const message = item ? viewOf(item) : unseenView(asked, refused)
    of(deliveryId).said.push({
      ...message,
      to: send.customer,
      fellBack: via === 'template' && asked?.via === 'freeform',
    })
  }

  return {
    hooks: {
      handled: end('handled'),
      ignored: end('ignored'),
      failed: end('retried'),
      parked: end('parked'),
      quarantined: end('quarantined'),
      dead: end('dead'),
      send_accepted: say(),
      send_refused: (about) => say({ code: about.reason ?? 'refused' })(about),
    },
    recorded: (send) => void sends.set(send.id, send),
    shown: (item) => void items.set(item.id, item),
    failed(id, error) {
      const it = of(id)
      it.outcome ??= 'not_handled'
      it.failure ??= { error: reasonOf(error) }
    },
    took: (id, ms) => void (of(id).ms = ms),
    played: (deliveries) => deliveries.map(({ id }) => playedOf(of(id))),
    apart(deliveries) {
      const own = new Set(deliveries.map(({ id }) => id))
      const found: Record<string, Played> = {}
      for (const [id, it] of all) {
        if (own.has(id)) continue
        for (const said of it.said) addTo(found, `${it.event ?? 'the app'} to ${said.to}`, { said: [said] })
        if (it.failure)
          addTo(found, it.event ?? 'the app', { outcome: it.outcome ?? 'not_handled', failure: it.failure })
      }
      return found
    },
  }
}

function addTo(found: Record<string, Played>, name: string, more: Partial<Played>): void {
  const known = found[name] ?? { outcome: 'handled', said: [], ms: 0 }
  found[name] = { ...known, ...more, said: [...known.said, ...(more.said ?? [])] }
}

function playedOf({ outcome = 'not_handled', routes, failure, said, ms }: Collected): Played {
  return {
    outcome,
    ...(routes.size > 0 && { route: [...routes].join(', ') }),
    ...(failure && { failure }),
    said,
    ms: Math.round(ms * 100) / 100,
  }
}

function failureOf({ route, error, reason = 'no reason given' }: Observed): NonNullable<Played['failure']> {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : reason
  return { ...(route !== undefined && { route }), error: text }
}

type Message = Omit<Said, 'to' | 'fellBack'>

function viewOf(item: ThreadItem): Message {
  const { kind, text, options, template } = messageView(item)
  const more = item.interactive ?? item.template?.components
  return {
    kind,
    text,
    options: options.map(({ id, title }) => ({ id: withoutSignature(id), title })),
    ...(template && { template }),
    ...(item.media && { media: item.media.url }),
    // Footers, headings of lists, links, headers of templates.
    ...(more && {
      more: JSON.stringify(more, (_, value) => (typeof value === 'string' ? withoutSignature(value) : value)),
    }),
  }
}

/** A send that the service refused stands on no phone. */
function unseenView(asked: NewSend | undefined, refused: { code: string } | undefined): Message {
  const { type: kind = 'text', text = '' } = JSON.parse(asked?.body ?? '{}') as { type?: string; text?: string }
  return { kind, text, options: [], ...(refused && { refused }) }
}
