import { EVENTS } from '../../../service/delivery.ts'
import type { Check } from '../check.ts'
import { BYTES } from './bytes.ts'
import { CONTENT } from './content-checks.ts'
import { IDENTITY } from './identity.ts'
import { SIGNATURES } from './signatures.ts'
import { TIMES } from './times.ts'

/** The first check. If it fails, nothing else can be judged. */
export const GENUINE: Check = {
  id: 'genuine',
  rules: ['SIG-01'],
  says: 'a genuine delivery is acknowledged',
  expects: 'acknowledged',
  fix:
    'a 401 or 403: is it the secret of this subscription, and is --prefix right? a 404 or a redirect: is it the ' +
    'full address? a 500: was the body parsed before the receiver read its bytes?',
  shots: (make) => [make()],
}

const OTHER_EVENTS = Object.keys(EVENTS).filter((name) => name !== 'message.received')

const AFTER_GENUINE: readonly Check[] = [
  {
    id: 'events-known',
    rules: ['EVT-01', 'DEL-05'],
    says: 'every event of the specification is acknowledged, handled or not',
    expects: 'acknowledged',
    fix: 'answer 2xx to an event without a handler; each refusal counts towards the 20 that disable the endpoint',
    shots: (make) => OTHER_EVENTS.map((event) => make({ what: `event ${event}`, event })),
  },
  {
    id: 'chunked',
    rules: ['SIG-02'],
    says: 'a body without a declared length is verified like any other',
    expects: 'acknowledged',
    fix: 'read the body to its end, and do not require Content-Length',
    shots: (make) => [make({ what: 'Transfer-Encoding: chunked', chunked: true })],
  },
  {
    id: 'charset',
    rules: ['SIG-02'],
    says: 'a Content-Type with a charset changes nothing',
    expects: 'acknowledged',
    fix: 'keep the raw bytes whatever the Content-Type says: a parser that matches one spelling never runs for the others',
    shots: (make) => [
      make({ what: 'application/json; charset=utf-8', contentType: 'application/json; charset=utf-8' }),
    ],
  },
]

/** The last check shows that the others did no harm. */
const STILL_THERE: Check = {
  id: 'still-there',
  rules: ['DEL-04'],
  says: 'after all this a genuine delivery is still acknowledged soon',
  expects: 'soon',
  fix: 'an earlier check crashed or blocked the receiver: see its log',
  shots: (make) => [make()],
}

export const MATRIX: readonly Check[] = [
  GENUINE,
  ...AFTER_GENUINE,
  ...BYTES,
  ...SIGNATURES,
  ...TIMES,
  ...IDENTITY,
  ...CONTENT,
  STILL_THERE,
]
