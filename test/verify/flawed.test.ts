import { timingSafeEqual } from 'node:crypto'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { verifyReceiver, type VerifyOptions } from '../../src/verify/index.ts'
import { plainReceiver, SECRET, type Steps } from './receiver.ts'

/** The work takes its time, and the answer waits for it. */
const afterTheWork: Partial<Steps> = {
  before: (work) =>
    new Promise((done) => {
      setTimeout(() => done(work()), 90)
    }),
  after: () => {},
}

/** What is acknowledged waits in a short queue, and what does not fit into it is lost. */
function withShortQueue(): Partial<Steps> {
  let waiting = 0
  let free = Promise.resolve()
  return {
    after(work) {
      if (waiting === 8) return
      waiting++
      free = free.then(async () => {
        await new Promise((next) => setTimeout(next, 20))
        waiting--
        work()
      })
    },
  }
}

const isJson = (body: Buffer) => {
  try {
    return typeof JSON.parse(body.toString('utf8')) === 'object'
  } catch {
    return false
  }
}

interface Flaw {
  readonly title: string
  readonly mistakes: Partial<Steps>
  readonly options?: Partial<VerifyOptions>
  /** Just these checks fall, and no other. */
  readonly fall: readonly string[]
}

const FLAWS: readonly Flaw[] = [
  {
    title: 'no dedupe (DEL-01)',
    mistakes: { isKnown: () => false },
    fall: ['again-effect', 'at-once-effect', 'captured-effect', 'id-case-effect'],
  },
  {
    title: 'dedupe by the id alone (SIG-07)',
    mistakes: { isKnown: (seen, { id = '' }) => seen.has(id) || !seen.add(id) },
    fall: ['captured-effect', 'id-case-effect'],
  },
  {
    title: 'a queue that loses what does not fit (DEL-01)',
    mistakes: withShortQueue(),
    options: { settleMs: 60 },
    fall: ['burst-effect'],
  },
  {
    title: 'the body as a string (SIG-02)',
    mistakes: { bytes: (request) => (request.body as Buffer).toString('utf8') },
    fall: ['bytes-invalid-utf8', 'bytes-replaced'],
  },
  {
    title: 'the body as a decoder gives it, without its mark (SIG-02)',
    mistakes: { bytes: (request) => new TextDecoder().decode(request.body as Buffer) },
    fall: ['bytes-bom', 'bytes-invalid-utf8', 'bytes-replaced'],
  },
  {
    title: 'a parser before it, and the body written again (SIG-03)',
    mistakes: { parser: express.json({ limit: '1mb' }), bytes: (request) => JSON.stringify(request.body ?? {}) },
    fall: [
      'no-content-type',
      'bytes-white-space',
      'bytes-escapes',
      'bytes-bom',
      'bytes-invalid-utf8',
      'bytes-replaced',
      'bytes-reserialised',
      'bytes-inflated',
      'not-json',
      'empty',
      'no-object',
      'deep',
    ],
  },
  {
    title: 'a packed body is inflated (SIG-02)',
    mistakes: { parser: express.raw({ type: () => true, limit: '1mb' }) },
    fall: ['bytes-inflated'],
  },
  {
    title: 'no signature check (SIG-01)',
    mistakes: { isRight: () => true },
    fall: [
      'bytes-replaced',
      'bytes-reserialised',
      'bytes-altered',
      'signature-missing',
      'signature-wrong',
      'signature-empty-secret',
      'signature-repeated',
      'signature-length',
      'signature-alphabet',
      'signature-text-behind',
      'signature-scheme',
      'signature-untold',
      'refusals-alike',
    ],
  },
  {
    title: 'a 500 on a signature of another length (SIG-04)',
    mistakes: {
      isRight: (header, mac) => timingSafeEqual(Buffer.from(header), Buffer.from(`sha256=${mac.toString('hex')}`)),
    },
    fall: [
      'signature-missing',
      'signature-repeated',
      'signature-length',
      'signature-alphabet',
      'signature-text-behind',
      'signature-scheme',
      'signature-upper-case',
      'signature-untold',
      'refusals-alike',
    ],
  },
  {
    title: 'hex as Buffer reads it (SIG-04)',
    mistakes: {
      isRight: (header, mac) => {
        const given = Buffer.from(header.split('=')[1] ?? '', 'hex')
        return given.length === mac.length && timingSafeEqual(given, mac)
      },
    },
    fall: ['signature-repeated', 'signature-text-behind', 'signature-scheme'],
  },
  {
    title: 'signatures compared as texts (SIG-04)',
    mistakes: { isRight: (header, mac) => header === `sha256=${mac.toString('hex')}` },
    fall: ['signature-upper-case'],
  },
  {
    title: 'a refusal that says what would have been right (AUTH-07)',
    mistakes: { refusal: (response, why, right) => void response.status(401).json({ error: why, expected: right }) },
    fall: ['signature-untold', 'refusals-alike'],
  },
  {
    title: 'no time check (SIG-05)',
    mistakes: { isFresh: () => true },
    fall: ['refusals-alike', 'time-behind', 'time-ahead', 'time-milliseconds', 'time-huge'],
  },
  {
    title: 'a time check of one side (SIG-05)',
    mistakes: { isFresh: (seconds, now) => now - seconds <= 300 },
    fall: ['time-ahead', 'time-milliseconds', 'time-huge'],
  },
  {
    title: 'too little room (SIG-05)',
    mistakes: { isFresh: (seconds, now) => Math.abs(now - seconds) <= 60 },
    fall: ['time-in-reach'],
  },
  {
    title: 'time by parseInt (SIG-05)',
    mistakes: { time: (header) => Number.parseInt(header, 10) },
    fall: ['time-fraction', 'time-sign', 'time-text-behind', 'time-repeated'],
  },
  {
    title: 'time by Number (SIG-05)',
    mistakes: { time: Number },
    fall: ['time-fraction', 'time-sign', 'time-notation'],
  },
  {
    title: 'a time that is no number is let through (SIG-05)',
    mistakes: { time: Number, isFresh: (seconds, now) => !(Math.abs(now - seconds) > 300) },
    fall: [
      'refusals-alike',
      'time-fraction',
      'time-sign',
      'time-text-behind',
      'time-notation',
      'time-no-number',
      'time-repeated',
    ],
  },
  {
    title: '400 on unknown events (DEL-05)',
    mistakes: { objection: (event) => (event?.startsWith('message.') ? undefined : 400) },
    fall: ['events-known', 'event-unknown', 'event-inherited', 'event-unclear'],
  },
  {
    title: '400 on no JSON (SIG-09)',
    mistakes: { objection: (_event, body) => (isJson(body) ? undefined : 400) },
    fall: ['bytes-bom', 'not-json', 'empty', 'no-object'],
  },
  {
    title: 'the answer after the work (DEL-04)',
    mistakes: afterTheWork,
    options: { slowMs: 60, only: new Set(['SIG-01', 'DEL-01', 'DEL-04']) },
    fall: ['burst', 'soon', 'still-there'],
  },
  {
    title: 'a limit of 100 kB (DEL-06)',
    mistakes: { parser: express.raw({ type: () => true, inflate: false }) },
    fall: ['size-1-mib'],
  },
]

async function fallenOf({ mistakes, options }: Flaw): Promise<string[]> {
  const { url, count } = await plainReceiver(mistakes)
  const { verdicts } = await verifyReceiver({
    url,
    secret: SECRET,
    count,
    settleMs: 15,
    effectsWithinMs: 150,
    ...options,
  })
  return verdicts.flatMap(({ state, check }) => (state === 'passed' ? [] : [check.id]))
}

describe('the matrix names what is wrong with a receiver, and nothing else', () => {
  it.for(FLAWS)('$title', async (flaw) => {
    expect(await fallenOf(flaw)).toEqual(flaw.fall)
  })
})
