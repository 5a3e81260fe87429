import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Held = readonly [words: string, file: string, title: string]

const COMPARE = 'test/bot/inbox/compare.test.ts'
const NUMBER_SOURCE = 'test/bot/number-source.test.ts'
const CUSTOMER = 'test/bot/inbox/payload/customer.test.ts'
const FACTS = 'test/journeys/facts.test.ts'
const ANSWERS = 'test/bot/inbox/answers.test.ts'
const HOSTILE = 'test/bot/inbox/payload/hostile.test.ts'
const READ_DELIVERY = 'test/bot/inbox/read-delivery.test.ts'
const REDACTION = 'test/journeys/redaction.test.ts'
const LOG = 'test/bot/inbox/log.test.ts'
const GONE = 'test/store/sqlite/gone.test.ts'
const INBOX_ERASE = 'test/kit/cli/inbox-erase.test.ts'
const NOTIFICATIONS = 'test/store/postgres/notifications.test.ts'
const NEIGHBOURS = 'test/store/postgres/neighbours.test.ts'
const ADDRESS = 'test/store/postgres/address.test.ts'
const TAPS = 'test/journeys/taps.test.ts'
const STRANGERS = 'test/bot/inbox/strangers.test.ts'
const IDENTITY = 'test/bot/inbox/identity.test.ts'
const INSPECT = 'test/admin/answers.test.ts'

/** The rows of the table in SECURITY.md: for each sentence some words of it, and the test that holds it. */
const TABLE: Readonly<Record<string, readonly Held[]>> = {
  'forged deliveries': [
    ['compared in constant time', COMPARE, 'is in constant time, over 32 bytes, against every secret'],
    ['401 with a constant body', 'test/bot/inbox/signature.test.ts', 'is one constant answer, whatever the reason'],
    ['nothing is written', 'test/bot/inbox/endpoint.test.ts', 'and refuses another number’s like a wrong signature'],
    ['tried in turns', STRANGERS, 'leaves turns to other work while its large body is checked with every secret'],
  ],
  'made-up names in a webhook’s path': [
    ['refused before its name is looked up', NUMBER_SOURCE, 'is not looked up for a request without a signature'],
    [
      'above 2,000 waiting ones',
      'test/bot/number-cache.test.ts',
      'are looked up 32 at once, delay no known number, and get no answer above 2,000',
    ],
    ['do not wait behind them', NUMBER_SOURCE, 'keep no number out that has deliveries in the database'],
    [
      'The first delivery of a new number may',
      'test/bot/number-cache.test.ts',
      'and a made-up one waits although the database cannot be asked',
    ],
  ],
  replays: [
    ['timestamps within 300 s', 'test/bot/inbox/time.test.ts', 'is accepted at %i ms from now, before and after'],
    ['decide no reply', IDENTITY, 'runs once, however the delivery is repeated'],
  ],
  'a swapped event name or id': [
    ['kept as a suspected replay or a conflict', IDENTITY, 'which is acknowledged, kept and never dispatched'],
    ['The delivery that arrives first counts', IDENTITY, 'cannot suppress another event by a used id'],
    ['the genuine one raises an alarm', IDENTITY, 'may be false in the copy that arrives first'],
  ],
  'a reply to the wrong person': [
    ['guessed only where one field', CUSTOMER, 'is found, but not sure, at other places'],
    ['answers only mapped ones', FACTS, 'gets no reply with replies: mapped if they are guessed'],
    ['signed for their customer', TAPS, 'opens nothing for another customer, whatever their phone shows'],
  ],
  'a customer’s text that the app sends on as a button, so that it is signed': [
    ['only an option that `tap()` made', TAPS, 'is refused if it came from a text, however it is offered'],
    ['contains an authentication code', TAPS, 'is refused if it came from a text, however it is offered'],
    ['can copy an option with its code', TAPS, 'is refused if it came from a text, however it is offered'],
  ],
  'real sends by mistake': [
    [
      'no start against the real service',
      'test/bot/options.test.ts',
      'refuses a real address outside production without a list of recipients',
    ],
  ],
  'large, slow, odd or compressed bodies': [
    ['refused before its body is read', STRANGERS, 'is refused before its body is read'],
    ['at most 64 MiB together', STRANGERS, 'can fill at most 64 MiB together with all others'],
    ['joined as they arrive', STRANGERS, 'in parts of one byte is joined as it arrives'],
    ['time of a request are limited', 'test/bot/inbox/adapters/alike.test.ts', 'a body that does not come'],
    ['Nothing is inflated', ANSWERS, 'a Content-Encoding is refused unread, unless it changes nothing'],
    ['more than 20,000 members', HOSTILE, 'is refused before it is parsed if %s has too many members'],
    ['batch that would block', READ_DELIVERY, 'keeps a batch of more than 4,000 messages whole and without items'],
  ],
  'leaks of secrets': [
    [
      'in no log, error, dump or page',
      REDACTION,
      'keeps codes, token, secret, texts and phones out of log, results and inspectors',
    ],
    ['only in memory', 'test/store/sqlite/alone.test.ts', 'loses a one-time code with a restart at once'],
    ['also in other encodings', 'test/client/canaries.test.ts', 'a code that an answer repeats in another form'],
  ],
  'leaks of customers': [
    ['not in the log above debug', REDACTION, 'shows neither token, secret, text nor phone in errors, log and reasons'],
    ['without numbers and whole texts', LOG, 'shows no customer’s number or text if onError fails itself'],
    ['hooks get the error unchanged', LOG, 'and hooks get the error itself'],
  ],
  'strangers at the admin page and the desk': [
    ['called for each request', 'test/admin/door.test.ts', 'answers 401 and nothing else to a visitor'],
    ['only from the page itself', 'test/admin/door.test.ts', 'changes nothing for %s'],
    ['masked until', INSPECT, 'show nobody’s number, name or text in any view, unless it is revealed'],
    ['Without `reveal` nobody finds', INSPECT, 'find nothing by a number for a person without reveal'],
    ['searches are recorded', INSPECT, 'record and count every search without its text'],
    ['No order of a list', 'test/admin/scope.test.ts', 'does not learn from the order of a list, nor from its cursor'],
  ],
  'one tenant against another': [
    [
      'has its own secret',
      'test/bot/inbox/endpoint.test.ts',
      'the endpoint of a number accepts its deliveries, and refuses another number’s like a wrong signature',
    ],
    ['messages of its number only', 'test/journeys/tenants.test.ts', 'a signed status or echo of one tenant'],
    [
      'delay only their number',
      'test/store/contract/held-back.ts',
      'begins a message in the commit that stores it, while deliveries of another number are unread',
    ],
    ['gets one answer', 'test/admin/scope.test.ts', 'gets one answer for what another number has'],
  ],
  'reading the database': [
    ['(0600)', 'test/store/sqlite/opening.test.ts', 'makes the file, its -wal and its -shm for the owner alone'],
    ['Pruned bytes are gone', GONE, 'is gone from the files: its bytes and facts after 7 days'],
    ['`forget` erases', INBOX_ERASE, 'erases everything stored about a customer on every number'],
  ],
  'other roles of the same PostgreSQL database': [
    ['the lock of the writers', NEIGHBOURS, 'is nothing that a role without rights'],
    ['Unknown notifications are ignored', NOTIFICATIONS, 'whatever another role of the database'],
    ['that a strange role owns', NEIGHBOURS, 'must not be a stranger, who could drop what was acknowledged'],
  ],
  'a mistyped address of a database': [
    ['refused without its value', ADDRESS, 'is an error, in which no password is repeated'],
    ['no file gets a name', ADDRESS, 'is an error, in which no password is repeated'],
  ],
  'sending the token to another host, or unencrypted': [
    ['redirects are not followed', 'test/client/send.test.ts', 'is not followed %s and sends nothing'],
    ['Plain http is refused', 'test/client/options.test.ts', 'is refused, without its password'],
  ],
  injection: [
    ['never part of SQL', 'test/store/contract/accept.ts', 'stores a text of SQL as a value'],
    ['looked up in maps', 'test/bot/inbox/content.test.ts', 'with keys of prototypes pollutes nothing'],
    ['inside its line of the log', LOG, 'is one line, whatever its headers and body contain'],
  ],
}

const plain = (text: string) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll("'", '’')
    .trim()
const rows = read('SECURITY.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| against'))
  .map((line) => line.slice(1, -1).split(' | ').map(plain))

describe('the table of what is defended', () => {
  it('has a test for each of its sentences', () => {
    expect(rows.map(([against]) => against)).toEqual(Object.keys(TABLE))
    const without = rows.flatMap(([against = '', by = '']) => {
      const held = TABLE[against] ?? []
      return by.split(/(?<=\.) /).filter((sentence) => !held.some(([words]) => sentence.includes(plain(words))))
    })
    expect(without).toEqual([])
  })

  it('names nothing that it does not say, and only tests that exist', () => {
    const page = plain(read('SECURITY.md'))
    const wrong = Object.values(TABLE)
      .flat()
      .filter(([words, file, title]) => !page.includes(plain(words)) || !read(file).includes(title))
    expect(wrong).toEqual([])
  })
})
