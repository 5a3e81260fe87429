import type { Check } from '../check.ts'
import type { Make, Shot } from '../shot.ts'

const ACCEPT = 'if signature and time are right, store it and answer 2xx: 20 errors in a row disable the endpoint'
const MEBIBYTE = 1_048_576
/** Levels of nested JSON. Each takes two bytes, so the body stays below the 100 kB that Express accepts by default. */
const DEPTH = 40_000

function bodies(make: Make, named: Readonly<Record<string, string | Buffer>>): Shot[] {
  return Object.entries(named).map(([what, body]) => make({ what, body }))
}

/** If signature and time are right, no content may cause an error (SIG-09). */
export const CONTENT: readonly Check[] = [
  {
    id: 'event-unknown',
    rules: ['DEL-05', 'GEN-10'],
    says: 'an unknown event is acknowledged',
    expects: 'acknowledged',
    fix: `answer 2xx to an unknown name: the service adds events without a new version. ${ACCEPT}`,
    shots: (make) => ['parcel.lost', 'message.reaction', 'x'].map((event) => make({ what: `event ${event}`, event })),
  },
  {
    id: 'event-inherited',
    rules: ['DEL-05'],
    says: 'an event named like a member of every object is an unknown event',
    expects: 'acknowledged',
    fix: 'look handlers up in a Map, or with Object.hasOwn',
    shots: (make) => ['__proto__', 'constructor', 'toString'].map((event) => make({ what: `event ${event}`, event })),
  },
  {
    id: 'event-unclear',
    rules: ['SIG-09'],
    says: 'an event name that is missing, repeated or absurd causes no error',
    expects: 'acknowledged',
    fix: `the name is not signed, so the delivery may be genuine. ${ACCEPT}`,
    shots: (make) => [
      make({ what: 'no event', event: [] }),
      make({ what: 'two events', event: ['message.received', 'order.paid'] }),
      make({ what: 'an event of 2,000 letters', event: 'e'.repeat(2_000) }),
    ],
  },
  {
    id: 'delivery-unclear',
    rules: ['SIG-09'],
    says: 'a delivery id that is missing, repeated or not a ULID causes no error',
    expects: 'acknowledged',
    fix: `the id is not signed, so the delivery may be genuine. ${ACCEPT}`,
    shots: (make) => [
      make({ what: 'no delivery id', delivery: [] }),
      make({ what: 'two delivery ids', delivery: [make.id(), make.id()] }),
      make({ what: "an id that is not a ULID: x'); --", delivery: `x${make.id()}'); --` }),
      make({ what: 'an id of 2,000 letters', delivery: make.id().repeat(77) }),
    ],
  },
  {
    id: 'not-json',
    rules: ['SIG-09', 'DEL-06'],
    says: 'a signed body that is not JSON is acknowledged and kept',
    expects: 'acknowledged',
    fix: `parse after the answer. ${ACCEPT}`,
    shots: (make) =>
      bodies(make, {
        'a text': `Habari ${make.id()}`,
        'half a JSON': make.message().slice(0, -9),
        'a byte 0': `\0${make.id()}`,
      }),
  },
  {
    id: 'empty',
    rules: ['SIG-09', 'DEL-06'],
    says: 'a signed empty body is acknowledged and kept',
    expects: 'acknowledged',
    fix: `an empty body has a signature too; parsers that skip it leave no bytes to verify. ${ACCEPT}`,
    shots: (make) => [make({ what: 'an empty body', body: '' })],
  },
  {
    id: 'no-object',
    rules: ['SIG-09', 'DEL-06'],
    says: 'signed JSON that is not an object is acknowledged and kept',
    expects: 'acknowledged',
    fix: `check its type before you read a member. ${ACCEPT}`,
    shots: (make) => bodies(make, { null: 'null', '[]': '[]', '5': '5', 'a string': '"message"', true: 'true' }),
  },
  {
    id: 'other-shape',
    rules: ['DEL-06', 'GEN-10'],
    says: 'members that are missing, unknown or of another type cause no error',
    expects: 'acknowledged',
    fix: `the payload's members are not documented, and may grow. Validate after the answer. ${ACCEPT}`,
    shots: (make) =>
      bodies(make, {
        'an empty object': '{}',
        'members of other types': `{"message_id":5,"from":{"x":[]},"text":[1],"type":null,"n":"${make.id()}"}`,
        'unknown members': make.message().replace('{', '{"parcel":{"weight":3},"v":9,'),
      }),
  },
  {
    id: 'hostile-names',
    rules: ['DEL-06'],
    says: 'members named __proto__ and constructor are data',
    expects: 'acknowledged',
    fix: 'never merge a payload into one of your objects',
    shots: (make) =>
      bodies(make, {
        '__proto__ and constructor': make
          .message()
          .replace('{', '{"__proto__":{"status":500},"constructor":{"prototype":{"status":500}},'),
      }),
  },
  {
    id: 'deep',
    rules: ['SIG-09', 'DEL-06'],
    says: `JSON that is nested ${DEPTH.toLocaleString('en')} deep is acknowledged`,
    expects: 'acknowledged',
    fix: `parse after the answer, and walk a payload without recursion. ${ACCEPT}`,
    shots: (make) => bodies(make, { 'nested arrays': '['.repeat(DEPTH) + ']'.repeat(DEPTH) }),
  },
  {
    id: 'size-1-mib',
    rules: ['DEL-06'],
    says: 'a body of 1 MiB is acknowledged',
    expects: 'acknowledged',
    fix: 'raise the body limit (Express accepts 100 kB by default), also in a proxy before the receiver',
    shots: (make) => [
      make({
        what: '1,048,576 bytes',
        body: make.message('@').replace('@', 'a'.repeat(MEBIBYTE - make.message('').length)),
      }),
    ],
  },
]
