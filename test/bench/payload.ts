/** Reading a payload beside JSON.parse: in this process, turn by turn, each from the bytes of a delivery. */
import { readBody } from '../../src/payload/index.ts'
import { deliveryBody } from './requests.ts'
import { median } from './rounds.ts'
import type { Measured } from './table.ts'

const ROUNDS = 21
const CALLS = 20_000

/** Bodies of one shape, of which none comes twice in a row. */
const bodies = Array.from({ length: 500 }, (_, index) =>
  Buffer.from(deliveryBody(String(index).padStart(26, '0'), 255712000000 + index)),
)

export function payload(): Measured[] {
  const values: number[] = []
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = -1; round < ROUNDS; round++) {
    const [parsing, reading] = round % 2 === 0 ? [time(parse), time(read)] : [time(read), time(parse)].reverse()
    if (round < 0 || parsing === undefined || reading === undefined) continue
    values.push(parsing / reading)
    least = Math.min(least, parsing)
    most = Math.min(most, reading)
  }
  const note = `${least.toFixed(1)} ÷ ${most.toFixed(1)} µs, the best of ${ROUNDS} rounds; the ratio is their median`
  return [{ key: 'payload', value: median(values), note }]
}

function parse(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString())
}

function read(bytes: Buffer): unknown {
  const reading = readBody(bytes, { event: 'message.received', deliveryId: 'd', now: Date.now() })
  if ('refused' in reading) throw new Error('the body is refused')
  return reading
}

/** Microseconds a call. */
function time(run: (bytes: Buffer) => unknown): number {
  const began = performance.now()
  for (let call = 0; call < CALLS; call++) {
    const bytes = bodies[call % bodies.length]
    if (bytes) run(bytes)
  }
  return ((performance.now() - began) * 1000) / CALLS
}
