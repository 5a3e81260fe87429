import { type FoundFact, howOf } from '../../inspect/payload-report.ts'

interface EventFacts {
  readonly event: string
  readonly shapes: readonly { readonly facts: Readonly<Record<string, FoundFact>> }[]
}

/** The facts that a bot needs of each event, and what they are. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'message.received': {
    customer: "the customer's phone number",
    messageId: "the message's id",
    kind: 'the kind of the message, such as text or image',
    at: 'when the customer wrote it',
  },
  'message.status': {
    customer: "the customer's phone number",
    messageId: 'the id of the sent message',
    status: 'the status, such as delivered',
    at: 'when the status changed',
  },
}

/** Facts that only some messages have. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'message.received': ['text', 'tapped.id', 'tapped.title', 'media.url', 'media.caption'],
  'message.status': ['failureReason'],
}

/** The option `facts` to paste, with guesses and gaps marked, and the command that comes next. */
export function mappingText(events: readonly EventFacts[]): string[] {
  const mapped = events.flatMap(({ event, shapes }) => {
    const lines = linesOf(
      event,
      shapes.map(({ facts }) => facts),
    )
    return lines.length === 0 ? [] : [`    ${quoted(event)}: {`, ...lines.map((line) => `      ${line}`), '    },']
  })
  return [
    'To map the facts, paste this into your bot. Complete the empty paths and check the guesses:',
    '',
    'createBot({',
    '  facts: {',
    ...mapped,
    '  },',
    '})',
    '',
    'Next: restart the bot with these facts, then run',
    '  switchhook inbox retry --parked',
  ]
}

function linesOf(event: string, shapes: readonly Readonly<Record<string, FoundFact>>[]): string[] {
  const needed = NEEDED[event] ?? {}
  const more = MORE[event] ?? []
  const names = new Set([...Object.keys(needed), ...more, ...shapes.flatMap((facts) => Object.keys(facts))])
  return [...names].flatMap((name) => {
    const found = shapes.flatMap((facts) => facts[name] ?? [])
    const paths = [...new Set(found.map(({ path }) => path))].map(quoted)
    const key = name.includes('.') ? quoted(name) : name
    const [path] = paths
    if (path === undefined) {
      if (needed[name] !== undefined) return [`${key}: '', // not found: ${needed[name]}`]
      return more.includes(name) ? [`// ${key}: '', // not found`] : []
    }
    const how = [...new Set(found.map(howOf))].join('; ')
    return [`${key}: ${paths.length === 1 ? path : `[${paths.join(', ')}]`}, // ${how}`]
  })
}

/** A path is a text of the sender's: it must not end the quotation. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
