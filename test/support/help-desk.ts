import { adminPage } from '../../src/admin/admin.ts'
import type { CustomerView, Found, WaitingSummary } from '../../src/admin/api.ts'
import type { Act, Done, Page } from '../../src/admin/requests.ts'
import type { AnyBot } from '../../src/bot/in/bot-internals.ts'
import { posted } from '../admin/stage.ts'

export interface Answered<T> {
  readonly status: number
  readonly body: T
}

type Written = Extract<Act, { act: 'write' }>

/** The admin page's API, as the page of one person uses it. */
export function helpDesk(bot: AnyBot, person: { name: string; write?: boolean; numbers?: string[] }) {
  const page = adminPage(bot, { authorize: () => person, reveal: true })
  async function ask<T>(path: string, init?: RequestInit): Promise<Answered<T>> {
    const answer = await page.fetch(new Request(new URL(path, 'http://shop.test/admin/'), init))
    return { status: answer.status, body: (await answer.json()) as T }
  }
  const act = (asked: Act) => ask<Done & { error?: string; message?: string }>('api/act', posted(asked))
  const see = async (handle: string) => (await ask<CustomerView>(`api/customers/${handle}`)).body
  return {
    ask,
    act,
    /** Writes to a customer when the page shows all that has arrived. */
    write: async (customer: string, key: string, content: Omit<Partial<Written>, 'act' | 'customer' | 'key'>) =>
      act({ act: 'write', customer, key, seen: (await see(customer)).newest, ...content }),
    waiting: async () => (await ask<Page<WaitingSummary>>('api/waiting')).body.rows,
    see,
    /** The handle of the customer on a number. */
    async find(customer: string, number = 'default'): Promise<string> {
      const { body } = await ask<Found>('api/search', posted({ text: customer }))
      return body.customers.find((one) => one.number === number)?.handle ?? ''
    },
  }
}
