/** Tells customers about their orders, and keeps a ledger of these messages. */
import { type Sender, type StatusContext, template } from 'switchhook'

export interface Order {
  readonly id: string
  readonly phone: string
}

/** The state of each update by its `ref`. Yours is a table. */
export interface Entry {
  readonly ref: string
  /** How it went out, or why it did not. */
  via: string
  /** The furthest known status; undefined until the service reports one. */
  status: string | undefined
}

export function createUpdates(sender: Sender) {
  const ledger = new Map<string, Entry>()
  const entry = (ref: string): Entry => {
    const known = ledger.get(ref) ?? { ref, via: 'unknown', status: undefined }
    ledger.set(ref, known)
    return known
  }

  return {
    ledger,

    /** Reports come in any order, and more than once; the send's own status is the furthest of all of them. */
    heard({ sent }: StatusContext): void {
      if (sent?.ref !== undefined) entry(sent.ref).status = sent.status
    },

    /** If the window is closed, the template goes out instead of the text. */
    async moved({ id, phone }: Order, state: string): Promise<void> {
      const ref = `${id}:${state}`
      const result = await sender.to(phone).send(`Order ${id} is ${state}.`, {
        key: ['order', id, state],
        ref,
        outsideWindow: template('order_update', 'en', { body: [id, state] }),
      })
      entry(ref).via = result.via
    },

    /** Always a template, since nobody knows whether the window will be open then. */
    async remindAt(at: Date, { id, phone }: Order): Promise<void> {
      const reminder = template('pickup_reminder', 'en', { body: [id] })
      const result = await sender.to(phone).send(reminder, { key: ['pickup', id], ref: `${id}:reminder`, at })
      entry(`${id}:reminder`).via = result.via
    },

    /** False if the reminder has gone out already. */
    async collected({ id }: Order): Promise<boolean> {
      const cancelled = await sender.cancel(['pickup', id])
      if (cancelled) entry(`${id}:reminder`).via = 'cancelled'
      return cancelled
    },
  }
}
