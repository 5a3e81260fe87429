/** What an app does beside its handlers: it writes sessions, takes customers over, records opt-outs, announces. */
import { type Bot, type Sender, template } from 'switchhook'
import { tellParent } from '../../test/support/tell-parent.ts'

export type Act =
  | { readonly what: 'session' | 'take over' | 'resume' | 'opt out'; readonly customer: string }
  | { readonly what: 'announce'; readonly customers: readonly string[]; readonly perMinute: number }

/** `error`: why it was not done. */
export interface Acted {
  readonly kind: 'acted'
  readonly nth: number
  readonly error?: string
}

export const NEWS = { name: 'news', language: 'en', body: 'News' } as const

export async function act(bot: Bot & Sender, one: Act, nth: number): Promise<void> {
  try {
    await perform(bot, one)
    tellParent({ kind: 'acted', nth } satisfies Acted)
  } catch (error) {
    tellParent({ kind: 'acted', nth, error: String(error) } satisfies Acted)
  }
}

async function perform(bot: Bot & Sender, one: Act): Promise<void> {
  if (one.what === 'announce') {
    await bot.announce(['news'], one.customers, template(NEWS.name, NEWS.language), { perMinute: one.perMinute })
    return
  }
  const customer = (bot as Sender<{ outside: number }>).to(one.customer)
  if (one.what === 'session') await customer.updateSession((session) => void session.outside++)
  if (one.what === 'take over') await customer.handOver({ for: '1h' })
  if (one.what === 'resume') await customer.resume()
  if (one.what === 'opt out') await customer.optOut({ how: 'message' })
}
