/** Reading a payload beside JSON.parse: in this process, turn by turn, each from the bytes of a delivery. */
import { readBody } from '../../src/bot/inbox/payload/read-body.ts'
import { deliveryBody } from './requests.ts'
import { median } from './rounds.ts'
import type { Key, Measured } from './table.ts'

const ROUNDS = 21
const EVENT = 'message.received'
const HOSTILE_BYTES = 1_000_000

/** Bodies of one shape, of which none comes twice in a row. */
const bodies = Array.from({ length: 500 }, (_, index) =>
  Buffer.from(deliveryBody(String(index).padStart(26, '0'), 255712000000 + index)),
)

export function payload(): Measured[] {
  return [
    compared('payload', { many: bodies, calls: 20_000 }),
    compared('payloadMembers', { many: bodies.map(withMembers), calls: 20_000 }),
    compared('payloadFirst', { many: newShapes(4_000), calls: 4_000 }),
    ...hostile().map(({ key, many }) => compared(key, { many, calls: many.length })),
  ]
}

interface Work {
  readonly many: readonly Buffer[]
  /** In a round. */
  readonly calls: number
}

function compared(key: Key, { many, calls }: Work): Measured {
  const values: number[] = []
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = -1; round < ROUNDS; round++) {
    const parse = () => time(many, calls, (bytes) => JSON.parse(bytes.toString()))
    const reading = () => time(many, calls, read)
    const [parsed, whole] = round % 2 === 0 ? [parse(), reading()] : [reading(), parse()].reverse()
    if (round < 0 || parsed === undefined || whole === undefined) continue
    values.push(whole / parsed)
    least = Math.min(least, parsed)
    most = Math.min(most, whole)
  }
  const note = `${most.toFixed(1)} ÷ ${least.toFixed(1)} µs, best of ${ROUNDS}`
  return { key, value: median(values), note }
}

/** All that a delivery's payload costs: its facts are read. */
function read(bytes: Buffer): void {
  const reading = readBody(bytes, { event: EVENT, deliveryId: 'd', now: Date.now() })
  if ('refused' in reading) throw new Error('the body is refused')
}

/** The same size, of which a text takes up little: a message as the service's own answers have it, with whom it is of. */
function withMembers(body: Buffer): Buffer {
  const { data, ...envelope } = JSON.parse(body.toString()) as { data: Record<string, unknown> }
  const nothing = {
    media_url: null,
    media_mime_type: null,
    media_filename: null,
    media_caption: null,
    interactive: null,
  }
  const contact = {
    id: 'con-5512',
    name: 'Asha M.',
    language: 'sw',
    tags: ['vip', 'shoes'],
    blocked: false,
    visits: 14,
  }
  const conversation = {
    id: 'c-9',
    status: 'open',
    assignee: null,
    unread: 3,
    labels: ['sales'],
    opened: data['created_at'],
  }
  const own = { ...data, content: 'Habari', status: null, source: 'HUMAN', ...nothing, contact, conversation }
  const text = JSON.stringify({ ...envelope, data: own })
  const note = 'x'.repeat(Math.max(1, body.length - text.length - 10))
  return Buffer.from(JSON.stringify({ ...envelope, data: { ...own, note } }))
}

/** Bodies like the others, each with its own member. */
function newShapes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const body = (bodies[index % bodies.length] as Buffer).toString()
    return Buffer.from(body.replace('"data":{', `"data":{"${wordOf(index)}":1,`))
  })
}

function hostile(): { readonly key: Key; readonly many: Buffer[] }[] {
  const message = { from: '255712000101', id: 'm', text: 'x' }
  const wide = Array.from({ length: HOSTILE_BYTES / 12 }, (_, index) => [wordOf(index), 1] as const)
  const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) })
  const nested = Array.from({ length: HOSTILE_BYTES / 1_000 }, () => deep(150))
  const long = Array.from({ length: 100 }, (_, index) => [`${wordOf(index)}-`.repeat(HOSTILE_BYTES / 300), 1] as const)
  const one = (data: object) => [Buffer.from(JSON.stringify({ event: EVENT, data: { ...message, ...data } }))]
  return [
    { key: 'payloadWide', many: one(Object.fromEntries(wide)) },
    { key: 'payloadDeep', many: one({ nested }) },
    { key: 'payloadLongKeys', many: one(Object.fromEntries(long)) },
  ]
}

function wordOf(index: number): string {
  return `x${String(index).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}`
}

/** Microseconds of the processor's time a call: what else runs on the machine does not count. */
function time(many: readonly Buffer[], calls: number, run: (bytes: Buffer) => unknown): number {
  const began = process.cpuUsage()
  for (let call = 0; call < calls; call++) {
    const bytes = many[call % many.length]
    if (bytes) run(bytes)
  }
  const { user, system } = process.cpuUsage(began)
  return (user + system) / calls
}
