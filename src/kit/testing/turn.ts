import type { InboundKind, InboundMediaKind, SignalKind } from '../../service/message-kinds.ts'
import type { CustomerMedia } from '../../emulator/emulator-api.ts'
import type { InProcessEmulator } from '../../emulator/in-process.ts'
import { choicesOn, type ThreadItem } from '../../emulator/model/thread.ts'
import { isOption, wiredKey } from '../../service/tap-id.ts'
import type { Store } from '../../store/store.ts'
import {
  type Arrived,
  isReply,
  messageView,
  optionId,
  type Reply,
  type Sent,
  type Shown,
} from '../../emulator/recording/message-view.ts'
import type { NumberService } from './test-service.ts'

/**
 * A person with a phone. Each call is a turn: it resolves when everything that follows from it is done.
 * It rejects with `TurnFailed` if a delivery died or was parked.
 *
 * ```ts
 * const asha = s.customer('255712000101')
 * const turn = await asha.says('hours')
 * ```
 */
export interface Customer {
  /** Writes a text. Several texts are written at the same time. */
  says(...texts: string[]): Promise<Turn>
  /** Taps a button, row or quick reply that the phone shows, by its id or by its title. */
  taps(option: string): Promise<Turn>
  /** Sends media. Several are sent at the same time: `sends('image', { caption: 'front' }, { caption: 'back' })`. */
  sends(kind: InboundMediaKind, ...media: Omit<CustomerMedia, 'kind' | 'file'>[]): Promise<Turn>
  /** Sends a location. */
  sends(
    kind: 'location',
    place?: { latitude: number; longitude: number; name?: string; address?: string },
  ): Promise<Turn>
  /** Sends a contact card, or a signal such as a call. Only `received(kind)` gets signals. */
  sends(kind: 'contacts' | 'sticker' | 'call' | 'system' | 'unknown'): Promise<Turn>
  /** Reacts to the newest message from the business; with `''` a reaction is removed. */
  reacts(emoji: string): Promise<Turn>
  /** Edits the customer's newest message. */
  edits(text: string): Promise<Turn>
  /** Deletes the customer's newest message. */
  deletes(): Promise<Turn>
  /** The phone loses its connection. Messages to it stay `sent`. */
  goesOffline(): Promise<Turn>
  /** The phone is connected again and receives waiting messages. */
  comesOnline(): Promise<Turn>
  /** Blocks the business. Messages to the phone fail: `message.status:failed`. */
  blocks(): Promise<Turn>
  unblocks(): Promise<Turn>
  /** Everything on the phone now, oldest first, including refused sends. */
  readonly thread: Shown[]
  /** The newest message to the customer that was not refused; undefined if there is none. */
  readonly last: Arrived | undefined
  /** The one-time codes that the phone shows, oldest first. Codes are withheld everywhere else. */
  readonly codes: string[]
}

/** The result of one input. Plain data. */
export interface Turn {
  /** The messages to the customer that were not refused, oldest first; after `event` and `advance`, to any customer. */
  readonly replies: Reply[]
  /** The texts of the replies, one per line. */
  readonly text: string
  /** The titles of all options in the replies: buttons, rows and quick replies. Pass one to `taps`. */
  readonly options: string[]
  /** Every message sent in this turn, to any customer, in order, including refused ones. */
  readonly sent: Sent[]
}

/** On the phone, the id of an option may also name its send. The result turns such an id back into the app's own. */
export function createOwnIds() {
  const own = new Map<string, string>()
  const ownId = <O extends { readonly id: string }>(option: O): O => ({
    ...option,
    id: own.get(option.id) ?? option.id,
  })
  return {
    async learn(outgoing: readonly Outgoing[], { findSend }: Pick<Store, 'findSend'>): Promise<void> {
      for (const { id } of choicesOn(outgoing.map(({ item }) => item))) {
        const key = own.has(id) ? undefined : wiredKey(id)
        const found = key && (await findSend({ key }))?.options?.ids.find((one) => isOption(id, one))
        if (found) own.set(id, found)
      }
    },
    in: <Message extends Shown>(message: Message): Message => ({
      ...message,
      options: message.options.map(ownId),
      sections: message.sections?.map((section) => ({ ...section, rows: section.rows.map(ownId) })),
    }),
  }
}

export type OwnIds = ReturnType<typeof createOwnIds>

export function turnOf(
  outgoing: readonly Outgoing[],
  own: OwnIds,
  isOwn: (each: Outgoing) => boolean = () => true,
): Turn {
  const sent = outgoing.map((each) => sentView(each, own))
  const replies = sent.filter((_, nth) => isOwn(outgoing[nth] as Outgoing)).filter(isReply)
  return {
    replies,
    text: replies.map(({ text }) => text).join('\n'),
    options: replies.flatMap(({ options }) => options.map(({ title }) => title)),
    sent,
  }
}

export function createCustomer(
  emulator: InProcessEmulator,
  digits: string,
  act: (act: () => Promise<unknown>) => Promise<readonly Outgoing[]>,
  own: OwnIds,
): Customer {
  const phone = emulator.customer(digits)
  const thread = () => emulator.thread(digits).map((item) => own.in(messageView(item)))

  async function turn(run: () => Promise<unknown>): Promise<Turn> {
    const outgoing = await act(run)
    return turnOf(outgoing, own, ({ from, to }) => from.emulator === emulator && to === digits)
  }

  const sendOf = (kind: InboundKind | SignalKind, more: object) => (SENDS[kind] ?? signal)(phone, kind as never, more)

  return {
    says: (...texts) => turn(() => Promise.all(texts.map((text) => phone.says(text)))),
    taps: (option) => turn(() => phone.taps(optionId(option, emulator.choices(digits)))),
    sends: (kind: InboundKind | SignalKind, first: object = {}, ...more: object[]) =>
      turn(() => Promise.all([first, ...more].map((one) => sendOf(kind, one)))),
    reacts: (emoji) => turn(() => phone.acts({ signal: { kind: 'reaction', emoji } })),
    edits: (text) => turn(() => phone.acts({ signal: { kind: 'edited', text } })),
    deletes: () => turn(() => phone.acts({ signal: { kind: 'deleted' } })),
    goesOffline: () => turn(() => phone.setHandset({ online: false })),
    comesOnline: () => turn(() => phone.setHandset({ online: true })),
    blocks: () => turn(() => phone.setHandset({ blocked: true })),
    unblocks: () => turn(() => phone.setHandset({ blocked: false })),
    get thread() {
      return thread()
    },
    get last() {
      return thread().findLast(isReply)
    },
    get codes() {
      return emulator.codes(digits)
    },
  }
}

const SOMEWHERE = { latitude: -6.8, longitude: 39.28 }
const SOMEBODY = { name: 'Neema', phone: '255712000199' }

type Phone = ReturnType<InProcessEmulator['customer']>
type Sending = (phone: Phone, kind: never, more: object) => Promise<unknown>

const file = (phone: Phone, kind: InboundMediaKind, more: object) => phone.sendsMedia({ ...more, kind })
const signal = (phone: Phone, kind: SignalKind) => phone.acts({ signal: { kind } })

/** How a customer sends each kind. Undefined if another method sends it. */
const SENDS: Readonly<Record<InboundKind | SignalKind, Sending | undefined>> = {
  image: file,
  audio: file,
  video: file,
  document: file,
  location: (phone, _, more) => phone.acts({ location: { ...SOMEWHERE, ...more } }),
  contacts: (phone) => phone.acts({ contacts: [SOMEBODY] }),
  sticker: signal,
  call: signal,
  system: signal,
  unknown: signal,
  text: undefined,
  interactive: undefined,
  button: undefined,
  reaction: undefined,
  edited: undefined,
  deleted: undefined,
}

export interface Outgoing {
  readonly from: NumberService
  readonly to: string
  readonly item: ThreadItem
}

export type OutgoingLog = ReturnType<typeof recordOutgoing>

export function recordOutgoing(numbers: readonly NumberService[]) {
  const all: Outgoing[] = []
  const indexes = new Map<string, number>()
  for (const from of numbers)
    from.emulator.watchThreads((to, item) => {
      if (item.direction === 'INBOUND') return
      const id = `${from.name} ${item.id}`
      // An item that is there already has a new status: replace it.
      const index = indexes.get(id) ?? all.length
      indexes.set(id, index)
      all[index] = { from, to, item }
    })
  return { count: () => all.length, since: (count: number): readonly Outgoing[] => all.slice(count) }
}

const views = new WeakMap<ThreadItem, Sent>()

/** Cached, because each of hundreds of simultaneous turns contains every message sent meanwhile. */
function sentView({ to, item }: Outgoing, own: OwnIds): Sent {
  const known = views.get(item)
  if (known) return known
  const sent = { to, ...own.in(messageView(item)) } as Sent
  views.set(item, sent)
  return sent
}
