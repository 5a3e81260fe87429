import { TIMESTAMP_TOLERANCE_SECONDS } from '../../../service/delivery.ts'
import type { Check } from '../check.ts'
import type { Make, Shot } from '../shot.ts'

const FORM =
  'accept only decimal digits (/^[0-9]+$/) before you hash or convert it; parseInt and Number accept much more'
const BOTH_SIDES = `refuse if Math.abs(now - timestamp) > ${TIMESTAMP_TOLERANCE_SECONDS} seconds, before and after`

/** The checks keep this distance from the limit, because timestamps are whole seconds and deliveries take time. */
const TRAVEL_SECONDS = 3

function timed(make: Make, texts: Readonly<Record<string, string>>): Shot[] {
  return Object.entries(texts).map(([what, timestamp]) => make({ what: `timestamp ${what}`, timestamp }))
}

function secondsOff(make: Make, seconds: number): Shot {
  return make({ what: `signed ${Math.abs(seconds)} s ${seconds < 0 ? 'ago' : 'ahead'}`, timestamp: make.at(seconds) })
}

/** A timestamp more than 300 s before or after now is refused (SIG-05). */
const EDGES: readonly Check[] = [
  {
    id: 'time-in-reach',
    rules: ['SIG-05'],
    says: `a timestamp up to ${TIMESTAMP_TOLERANCE_SECONDS} s from now is accepted, before and after`,
    expects: 'acknowledged',
    fix: `allow ${TIMESTAMP_TOLERANCE_SECONDS} s on both sides, including the 300th: a retry may be that old. Is this machine's clock right?`,
    shots: (make) => [
      secondsOff(make, -(TIMESTAMP_TOLERANCE_SECONDS - TRAVEL_SECONDS - make.margin)),
      secondsOff(make, TIMESTAMP_TOLERANCE_SECONDS - make.margin),
    ],
  },
  {
    id: 'time-behind',
    rules: ['SIG-05'],
    says: `a timestamp more than ${TIMESTAMP_TOLERANCE_SECONDS} s old is refused`,
    expects: 'refused',
    fix: BOTH_SIDES,
    shots: (make) => [secondsOff(make, -(TIMESTAMP_TOLERANCE_SECONDS + 1 + make.margin)), secondsOff(make, -3_600)],
  },
  {
    id: 'time-ahead',
    rules: ['SIG-05'],
    says: `a timestamp more than ${TIMESTAMP_TOLERANCE_SECONDS} s ahead is refused`,
    expects: 'refused',
    fix: BOTH_SIDES,
    shots: (make) => [
      secondsOff(make, TIMESTAMP_TOLERANCE_SECONDS + TRAVEL_SECONDS + make.margin),
      secondsOff(make, 3_600),
    ],
  },
]

/** Only Unix seconds in decimal digits are accepted, even if a parser could read other forms. */
const FORMS: readonly Check[] = [
  {
    id: 'time-milliseconds',
    rules: ['SIG-05'],
    says: 'milliseconds are refused, because they are far ahead',
    expects: 'refused',
    fix: `${BOTH_SIDES}; the service signs seconds`,
    shots: (make) => timed(make, { 'in milliseconds': `${make.at()}000` }),
  },
  {
    id: 'time-huge',
    rules: ['SIG-05'],
    says: 'an impossibly large number is refused',
    expects: 'refused',
    fix: BOTH_SIDES,
    shots: (make) => timed(make, { 'of 30 nines': '9'.repeat(30), 'of 400 nines': '9'.repeat(400), '1e30': '1e30' }),
  },
  {
    id: 'time-fraction',
    rules: ['SIG-05', 'SIG-08'],
    says: 'a fraction is refused: with a dot in it, the same signature fits another body',
    expects: 'refused',
    fix: FORM,
    shots: (make) => timed(make, { 'with .0': `${make.at()}.0`, 'with .5': `${make.at()}.5` }),
  },
  {
    id: 'time-sign',
    rules: ['SIG-05'],
    says: 'a sign is refused',
    expects: 'refused',
    fix: FORM,
    shots: (make) => timed(make, { 'with +': `+${make.at()}`, 'with -': `-${make.at()}` }),
  },
  {
    id: 'time-text-behind',
    rules: ['SIG-05'],
    says: 'text or a space after the digits is refused',
    expects: 'refused',
    fix: FORM,
    shots: (make) =>
      timed(make, { 'and text': `${make.at()}junk`, 'and a space': `${make.at()} 1`, 'and -1': `${make.at()}-1` }),
  },
  {
    id: 'time-notation',
    rules: ['SIG-05'],
    says: 'another notation of the same second is refused',
    expects: 'refused',
    fix: FORM,
    shots: (make) => {
      const seconds = Number(make.at())
      return timed(make, {
        'in hexadecimal': `0x${seconds.toString(16)}`,
        'with an exponent': `${seconds / 1e9}e9`,
        'as a date': new Date(seconds * 1_000).toISOString(),
      })
    },
  },
  {
    id: 'time-no-number',
    rules: ['SIG-05'],
    says: 'a timestamp that is not a number is refused',
    expects: 'refused',
    fix: `${FORM}; and compare so that NaN is refused: !(Math.abs(now - timestamp) <= ${TIMESTAMP_TOLERANCE_SECONDS})`,
    shots: (make) => timed(make, { abc: 'abc', NaN: 'NaN', Infinity: 'Infinity' }),
  },
  {
    id: 'time-missing',
    rules: ['SIG-08'],
    says: 'a delivery without a timestamp is refused, even if its signature was made for that',
    expects: 'refused',
    fix: 'require the timestamp header before you hash: a missing one becomes the text undefined, and the time NaN',
    shots: (make) => [
      make({ what: 'no timestamp', timestamp: [] }),
      make({ what: "no timestamp, signed as 'undefined'", timestamp: [], signedTimestamp: 'undefined' }),
      make({ what: "no timestamp, signed as 'null'", timestamp: [], signedTimestamp: 'null' }),
      make({ what: 'an empty timestamp', timestamp: '' }),
    ],
  },
  {
    id: 'time-repeated',
    rules: ['SIG-08'],
    says: 'a repeated timestamp is refused, as two headers and as one with a comma',
    expects: 'refused',
    fix: 'require exactly one timestamp header, and treat a comma in it as two',
    shots: (make) => {
      const [now, before] = [make.at(), make.at(-1)]
      return [
        make({ what: 'the same twice', timestamp: [now, now] }),
        make({ what: 'the same twice, signed as one text', timestamp: [now, now], signedTimestamp: `${now}, ${now}` }),
        make({ what: 'two times', timestamp: [now, before] }),
        make({ what: 'two times, signed as one text', timestamp: `${now}, ${before}` }),
      ]
    },
  },
]

export const TIMES: readonly Check[] = [...EDGES, ...FORMS]
