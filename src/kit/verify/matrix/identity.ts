import type { Check } from '../check.ts'
import type { Make, Shot } from '../shot.ts'

const AT_ONCE = 24

const DEDUPE =
  'store the delivery id under a unique key, in the same transaction as the delivery, and answer 2xx to a known id'

const UNSIGNED = 'the id and the event are not signed'

function retries(make: Make, times: number): Shot[] {
  const [delivery, body] = [make.id(), make.message()]
  return Array.from({ length: times }, (_, nth) =>
    make({ what: nth === 0 ? 'a delivery' : 'a repeat, signed again', delivery, body, timestamp: make.at(-nth) }),
  )
}

function copies(make: Make, times: number): Shot[] {
  const shot = make({ what: `one of ${times} copies of a delivery` })
  return Array.from({ length: times }, () => shot)
}

/** A delivery, then its signed bytes under another id, under another event, and under both. */
function captured(make: Make): Shot[] {
  const delivery = { delivery: make.id(), body: make.message(), timestamp: make.at() }
  const event = 'message.status'
  return [
    make({ ...delivery, what: 'a delivery' }),
    make({ ...delivery, what: 'the same signed bytes under another id', delivery: make.id() }),
    make({ ...delivery, what: `the same signed bytes as ${event}`, event }),
    make({ ...delivery, what: `the same signed bytes as ${event} under another id`, event, delivery: make.id() }),
  ]
}

/** Repeated deliveries (DEL-01), and headers that are not signed (SIG-07). */
export const IDENTITY: readonly Check[] = [
  {
    id: 'again',
    rules: ['DEL-01'],
    says: 'a repeated delivery is acknowledged every time',
    expects: 'acknowledged',
    fix: `${DEDUPE}; an error would be repeated forever`,
    shots: (make) => [...retries(make, 3), ...copies(make, 2)],
  },
  {
    id: 'at-once',
    rules: ['DEL-01', 'DEL-04'],
    says: `${AT_ONCE} copies of a delivery at once are all acknowledged`,
    expects: 'acknowledged',
    atOnce: true,
    fix: `${DEDUPE}; a copy that loses the race is not an error`,
    shots: (make) => copies(make, AT_ONCE),
  },
  {
    id: 'burst',
    rules: ['DEL-04'],
    says: `${AT_ONCE} deliveries at once are all acknowledged soon`,
    expects: 'soon',
    atOnce: true,
    fix: 'store, answer, and only then handle: a handler must not delay an answer',
    shots: (make) => Array.from({ length: AT_ONCE }, () => make({ what: `one of ${AT_ONCE} deliveries` })),
  },
  {
    id: 'soon',
    rules: ['DEL-04'],
    says: 'a delivery is acknowledged before it is handled',
    expects: 'soon',
    fix: 'store, answer, and only then handle: a handler must not delay an answer',
    shots: (make) => [make()],
  },
  {
    id: 'captured',
    rules: ['SIG-07'],
    says: 'the same signed bytes under another id or event are acknowledged',
    expects: 'acknowledged',
    fix: `${UNSIGNED}, so this may be an attack, or two genuine deliveries: keep it, and answer 2xx`,
    shots: captured,
  },
  {
    id: 'conflict',
    rules: ['SIG-07'],
    says: 'another message under a known id is acknowledged',
    expects: 'acknowledged',
    fix: `${UNSIGNED}: somebody may have used this id before. Keep both messages and answer 2xx`,
    shots: (make) => {
      const delivery = make.id()
      return [make({ what: 'a delivery', delivery }), make({ what: 'another message under its id', delivery })]
    },
  },
]
