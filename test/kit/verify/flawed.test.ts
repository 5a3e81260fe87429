import { timingSafeEqual } from 'node:crypto'
import express from 'express'
import { expect, it } from 'vitest'
import { verifyReceiver, type VerifyOptions } from '../../../src/kit/verify/run.ts'
import { PATIENT, plainReceiver, SECRET, type Steps } from './receiver.ts'

const SLOW_MS = 60
/** Before 26 Node writes JSON by recursion, which ends at some depth. */
const WRITES_DEEP = Number(process.versions.node.split('.')[0]) >= 26

/** The work takes longer than an answer may, and the answer waits for it. */
const afterTheWork: Partial<Steps> = {
  before: () =>
    new Promise((done) => {
      setTimeout(done, SLOW_MS + 30)
    }),
}

interface Flaw {
  readonly title: string
  readonly mistakes: Partial<Steps>
  readonly options?: Partial<VerifyOptions>
  /** Exactly these checks fail. */
  readonly fails: readonly string[]
}

const FLAWS: readonly Flaw[] = [
  {
    title: 'the body as a decoder gives it, without its mark (SIG-02)',
    mistakes: { bytes: (request) => new TextDecoder().decode(request.body as Buffer) },
    fails: ['bytes-bom', 'bytes-invalid-utf8', 'bytes-replaced'],
  },
  {
    title: 'a parser before it, and the body written again (SIG-03)',
    mistakes: { parser: express.json({ limit: '1mb' }), bytes: (request) => JSON.stringify(request.body ?? {}) },
    fails: [
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
      ...(WRITES_DEEP ? [] : ['deep']),
    ],
  },
  {
    title: 'no signature check (SIG-01)',
    mistakes: { isRight: () => true },
    fails: [
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
    ],
  },
  {
    title: 'a 500 on a signature of another length (SIG-04)',
    mistakes: {
      isRight: (header, mac) => timingSafeEqual(Buffer.from(header), Buffer.from(`sha256=${mac.toString('hex')}`)),
    },
    fails: [
      'signature-missing',
      'signature-repeated',
      'signature-length',
      'signature-alphabet',
      'signature-text-behind',
      'signature-scheme',
      'signature-upper-case',
      'signature-untold',
    ],
  },
  {
    title: 'a refusal that says what would have been right (AUTH-07)',
    mistakes: { refusal: (response, why, right) => void response.status(401).json({ error: why, expected: right }) },
    fails: ['signature-untold'],
  },
  {
    title: 'no time check (SIG-05)',
    mistakes: { isFresh: () => true },
    fails: ['time-behind', 'time-ahead', 'time-milliseconds', 'time-huge'],
  },
  {
    title: 'too little room (SIG-05)',
    mistakes: { isFresh: (seconds, now) => Math.abs(now - seconds) <= 60 },
    fails: ['time-in-reach'],
  },
  {
    title: 'a time that is no number is let through (SIG-05)',
    mistakes: { time: Number, isFresh: (seconds, now) => !(Math.abs(now - seconds) > 300) },
    fails: ['time-fraction', 'time-sign', 'time-text-behind', 'time-notation', 'time-no-number', 'time-repeated'],
  },
  {
    title: '400 on unknown events (DEL-05)',
    mistakes: { objection: (event) => (event?.startsWith('message.') ? undefined : 400) },
    fails: ['events-known', 'event-unknown', 'event-inherited', 'event-unclear'],
  },
  {
    title: 'the answer after the work (DEL-04)',
    mistakes: afterTheWork,
    options: { slowMs: SLOW_MS, only: new Set(['SIG-01', 'DEL-01', 'DEL-04']) },
    fails: ['burst', 'soon', 'still-there'],
  },
  {
    title: 'a limit of 100 kB (DEL-06)',
    mistakes: { parser: express.raw({ type: () => true, inflate: false }) },
    fails: ['size-1-mib'],
  },
]

/** Time stands still for receiver and matrix: a busy machine brings no delivery nearer to an edge of 300 s. */
const NOW = Date.now()
const now = () => NOW

async function failuresOf({ mistakes, options }: Flaw): Promise<string[]> {
  const { url } = await plainReceiver(mistakes, { now })
  // The limit of slowness is out of reach.
  const { verdicts } = await verifyReceiver({ url, secret: SECRET, now, slowMs: 60_000, timers: PATIENT, ...options })
  return verdicts.flatMap(({ state, check }) => (state === 'passed' ? [] : [check.id]))
}

it.for(FLAWS)('the matrix finds a receiver’s flaw, and nothing else: $title', async (flaw) => {
  expect(await failuresOf(flaw)).toEqual(flaw.fails)
})
