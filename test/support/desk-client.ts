import { desk, type DeskOptions, type DeskPerson } from '../../src/features/people/desk/desk.ts'
import type {
  Chat,
  DeskAct,
  DeskDone,
  DeskEvent,
  DeskState,
  ListName,
  QueuePage,
  QueueRow,
} from '../../src/features/people/desk/desk-api.ts'
import type { AnyBot } from '../../src/bot/bot-internals.ts'
import { posted } from '../admin/stage.ts'

export interface Answered<T> {
  readonly status: number
  readonly body: T
}

export type Heard = {
  readonly [Name in keyof DeskEvent]: readonly [event: Name, data: DeskEvent[Name]]
}[keyof DeskEvent]

export const NEEMA: DeskPerson = { name: 'neema', write: true, reveal: true }
export const BARAKA: DeskPerson = { name: 'baraka', write: true, reveal: true }

const HOST = 'http://shop.test/desk/'

/** One desk of a process, and the people at it: each is who the header `person` says. */
export function openDesk(bot: AnyBot, people: readonly DeskPerson[], o: Partial<DeskOptions<Request>> = {}) {
  const page = desk(bot, {
    authorize: (request: Request) => people.find(({ name }) => name === request.headers.get('person')),
    ...o,
  })
  return { page, as: ({ name }: DeskPerson) => personAt(page, name) }
}

export type PersonAt = ReturnType<typeof personAt>

function personAt(page: ReturnType<typeof desk>, name: string) {
  const fetched = (path: string, init: RequestInit = {}) => {
    const request = new Request(new URL(path, HOST), init)
    request.headers.set('person', name)
    return page.fetch(request)
  }
  async function ask<T>(path: string, init?: RequestInit): Promise<Answered<T>> {
    const answer = await fetched(path, init)
    return { status: answer.status, body: (await answer.json()) as T }
  }
  const post = <T>(path: string, body: unknown) => ask<T>(`api/${path}`, posted(body))
  const queue = async (list: ListName = 'waiting') => (await ask<QueuePage>(`api/queue?list=${list}`)).body
  const act = (asked: DeskAct) => post<DeskDone & { error?: string; message?: string }>('act', asked)
  return {
    ask,
    post,
    act,
    fetched,
    queue,
    state: async () => (await ask<DeskState>('api/state')).body,
    phones: async (list?: ListName) => (await queue(list)).rows.map(({ phone }) => phone),
    /** The row of a customer, in whichever list. */
    find: async (phone: string): Promise<QueueRow> => {
      const { body } = await post<{ rows: QueueRow[] }>('search', { text: phone })
      const [row] = body.rows
      if (!row) throw new Error(`nobody found ${phone}`)
      return row
    },
    visit: async (customer: string, before?: string) => (await post<Chat>('visit', { customer, before })).body,
    write: async (
      customer: string,
      key: string,
      text: string | undefined,
      given: Partial<Extract<DeskAct, { act: 'write' }>> = {},
    ) => {
      const { body } = await post<Chat>('visit', { customer })
      return act({ act: 'write', customer, key, seen: body.seen, text, ...given })
    },
    /** Events as they arrive. */
    async stream() {
      const answer = await fetched('api/stream')
      const heard: Heard[] = []
      const reader = answer.body?.getReader()
      let text = ''
      const ended = (async () => {
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
          text += Buffer.from(part.value).toString('utf8')
          const blocks = text.split('\n\n')
          text = blocks.pop() ?? ''
          for (const block of blocks) {
            const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
            if (event !== undefined) heard.push([event, JSON.parse(data ?? '')] as unknown as Heard)
          }
        }
      })()
      return {
        status: answer.status,
        headers: answer.headers,
        heard,
        of: <Name extends keyof DeskEvent>(name: Name) =>
          heard.flatMap(([event, data]) => (event === name ? [data as DeskEvent[Name]] : [])),
        ended,
        close: () => reader?.cancel(),
      }
    },
  }
}
