import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/payload/locate.ts',
    from: 'wordsOf(`data payload message object',
    to: 'wordsOf(`data message object',
    breaks: 'A message is found in each envelope that services use.',
    killedBy: { 'test/payload/any-form.test.ts': 'has the same facts, however it is spelt and wrapped' },
  },
  {
    file: 'src/payload/content.ts',
    from: "candidate.path === 'reply' && isQuote(title, written)",
    to: 'false',
    breaks: 'The message that a text answers is not taken for a tap.',
    killedBy: { 'test/payload/content.test.ts': 'is no tap, though it stands under `reply`' },
  },
  {
    file: 'src/payload/content.ts',
    from: '(title === undefined || title !== text)',
    to: 'true',
    breaks: 'A tap whose title is repeated as the text is a tap.',
    killedBy: { 'test/payload/content.test.ts': 'is told from a tap by its title, which the text repeats' },
  },
  {
    file: 'src/payload/missing.ts',
    from: "if (!kind) return alarm(findings, 'fact_missing', 'kind')",
    to: 'if (!kind) return',
    breaks: 'A message of which nothing was understood is told of.',
    killedBy: { 'test/payload/services.test.ts': 'is read right or flagged: Zenvia, text' },
  },
  {
    file: 'src/payload/missing.ts',
    from: "if (!facts[fact]) alarm(findings, 'fact_missing', fact)",
    to: '',
    breaks: 'A tap that cannot be found is told of.',
    killedBy: { 'test/payload/content.test.ts': 'is missed if it is not there' },
  },
  {
    file: 'src/payload/content.ts',
    from: 'found.value === tapped?.value.title ? undefined : found',
    to: 'false ? undefined : found',
    breaks: 'A text that repeats a tapped title was not written by the customer.',
    killedBy: {
      'test/payload/content.test.ts': 'is exactly what was written, and never a caption, a tapped title or a blank',
    },
  },
  {
    file: 'src/payload/content.ts',
    from: 'return Array.isArray(list) && list.length > 0',
    to: 'return false',
    breaks: 'The rendering of a message that went out is no tap.',
    killedBy: { 'test/payload/content.test.ts': 'is never the rendering of a message that went out' },
  },
  {
    file: 'src/payload/content.ts',
    from: 'return isUpstream(value) ? undefined : idOf(value)',
    to: 'return idOf(value)',
    breaks: 'A quotation of another message is no tap.',
    killedBy: { 'test/payload/content.test.ts': 'is not a quotation of another message' },
  },
  {
    file: 'src/payload/ids.ts',
    from: "const sure = agreed && found?.hit.candidate.choice === 'first'",
    to: 'const sure = agreed',
    breaks: 'A customer found at a place that may hold something else is not sure.',
    killedBy: { 'test/payload/customer.test.ts': 'is found, but not sure, at other places' },
  },
  {
    file: 'src/payload/ids.ts',
    from: "if (hidden && hit.candidate.choice !== 'first') continue",
    to: '',
    breaks: 'Beside a hidden id no number at a lesser place is taken for the customer.',
    killedBy: { 'test/payload/customer.test.ts': 'is not looked for at lesser places once the sender is a hidden id' },
  },
  {
    file: 'src/payload/ids.ts',
    from: 'else if (ours.includes(digits)) refused ??= hit',
    to: '',
    breaks: 'Our own number is never the customer.',
    killedBy: { 'test/payload/customer.test.ts': 'is never the customer, whichever member names it' },
  },
  {
    file: 'src/payload/ids.ts',
    from: `agreed = conflict(findings, hit)
  }`,
    to: `agreed = true
  }`,
    breaks: 'Two numbers that differ make the customer unsure.',
    killedBy: {
      'test/payload/customer.test.ts':
        'raises fact_conflict if two candidates differ; the higher one is taken and not sure',
    },
  },
  {
    file: 'src/payload/ids.ts',
    from: 'let agreed = !isOutbound(findings)',
    to: 'let agreed = true',
    breaks: 'The sender of an outbound message is no sure customer.',
    killedBy: { 'test/payload/customer.test.ts': 'leaves the customer of an outbound message unsure' },
  },
  {
    file: 'src/payload/ids.ts',
    from: 'return canonicalDeliveryId(value) !== canonicalDeliveryId(deliveryId)',
    to: 'return true',
    breaks: 'The delivery’s id is never a message’s.',
    killedBy: { 'test/payload/ids.test.ts': 'are never the delivery’s id, in either case' },
  },
  {
    file: 'src/payload/ids.ts',
    from: 'if (!hit.ownMessage) return false',
    to: '',
    breaks: 'An id around a batch names none of its messages.',
    killedBy: { 'test/payload/locate.test.ts': 'gives no message the id that stands around it' },
  },
  {
    file: 'src/payload/ids.ts',
    from: '(isUpstream(valueAt(findings, hit)) ? upstream : own).push(hit)',
    to: 'own.push(hit)',
    breaks: 'An id that begins with wamid. is the upstream platform’s.',
    killedBy: { 'test/payload/ids.test.ts': 'are upstream if they begin with wamid., wherever they stand' },
  },
  {
    file: 'src/payload/json.ts',
    from: 'return JSON.parse(text, keepDigits)',
    to: 'return JSON.parse(text)',
    breaks: 'A number too large for one keeps its digits.',
    killedBy: { 'test/payload/ids.test.ts': 'keep the digits of a number too large for one' },
  },
  {
    file: 'src/payload/json.ts',
    from: '{ fatal: true }',
    to: '{ fatal: false }',
    breaks: 'A body that is no UTF-8 is refused.',
    killedBy: {
      'test/payload/read.test.ts':
        'is refused as not_json if its bytes are not UTF-8, and the next body is read as usual',
    },
  },
  {
    file: 'src/payload/locate.ts',
    from: "new Set(['data', 'record', 'attributes'])",
    to: "new Set(['data', 'record', 'attributes', 'message', 'body'])",
    breaks: 'No customer can write a message object by sending JSON as a text.',
    killedBy: { 'test/payload/locate.test.ts': 'is never read out of a text that the customer may have written' },
  },
  {
    file: 'src/payload/locate.ts',
    from: 'const { parse: _, ...withoutParse } = options',
    to: 'const withoutParse = options',
    breaks: 'A text in a text that was parsed stays a text.',
    killedBy: { 'test/payload/locate.test.ts': 'is read out of an envelope’s text that holds JSON, once' },
  },
  {
    file: 'src/payload/locate.ts',
    from: 'const MAX_DEPTH = 5',
    to: 'const MAX_DEPTH = 50',
    breaks: 'The message object is at most five steps away.',
    killedBy: { 'test/payload/locate.test.ts': 'is at most five steps away' },
  },
  {
    file: 'src/payload/locate.ts',
    from: "const lists = event.startsWith('message.')",
    to: 'const lists = true',
    breaks: 'An order’s list of items is no batch.',
    killedBy: { 'test/payload/customer.test.ts': 'does not turn a list of things into a batch' },
  },
  {
    file: 'src/payload/mapping.ts',
    from: '!Object.hasOwn(value, step)',
    to: 'false',
    breaks: 'A mapping follows own members alone.',
    killedBy: { 'test/payload/mapping.test.ts': 'follows only own members' },
  },
  {
    file: 'src/payload/mapping.ts',
    from: "if (name === 'customer' && ourNumbers(findings).includes(value as string)) {",
    to: 'if (false) {',
    breaks: 'A mapping never makes our own number a customer.',
    killedBy: {
      'test/payload/mapping.test.ts': 'makes neither our own number nor the digits of a hidden id a customer',
    },
  },
  {
    file: 'src/payload/status.ts',
    from: "moment.zoned && hit.candidate.choice === 'first'",
    to: "hit.candidate.choice === 'first'",
    breaks: 'A time without a zone is not sure, and moves no window.',
    killedBy: { 'test/payload/time.test.ts': 'without a zone is UTC, whatever this machine’s zone, and not sure' },
  },
  {
    file: 'src/payload/status.ts',
    from: 'if (status !== undefined && isOfOtherStatus(hit, status)) continue',
    to: '',
    breaks: 'A status has its own time.',
    killedBy: { 'test/payload/time.test.ts': 'of a status is the time of that status' },
  },
  {
    file: 'src/payload/time.ts',
    from: 'ms <= now + DAY',
    to: 'ms <= now + 365 * DAY',
    breaks: 'A time of more than a day ahead is flagged.',
    killedBy: {
      'test/payload/time.test.ts':
        'before 2020 or more than a day ahead is flagged, and any plausible one is preferred',
    },
  },
  {
    file: 'src/payload/time.ts',
    from: "zone[0] === '-' ? utc + offset : utc - offset",
    to: "zone[0] === '-' ? utc - offset : utc + offset",
    breaks: 'A time with a zone is the moment that it names.',
    killedBy: { 'test/payload/time.test.ts': 'is ISO 8601 with a zone; fractions below a millisecond are cut' },
  },
  {
    file: 'src/payload/time.ts',
    from: 'if (day < 1 || day > daysOf(year, month)) return undefined',
    to: '',
    breaks: 'A day that the calendar lacks is no time.',
    killedBy: {
      'test/payload/time.test.ts':
        'is not read from anything else: no word, no day that the calendar lacks, no half of one',
    },
  },
  {
    file: 'src/payload/values.ts',
    from: 'return Number.isSafeInteger(value) ? String(value) : undefined',
    to: 'return String(value)',
    breaks: 'An id that lost digits is none.',
    killedBy: { 'test/payload/ids.test.ts': 'keep the digits of a number too large for one' },
  },
] satisfies Mutant[]
