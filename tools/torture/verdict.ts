/** Judges the evidence of a run: all that was promised, and no more than that. */
import { type Fault, LEASE_MS } from './decks.ts'
import type { Moment } from './faults.ts'
import type { Note } from './processes.ts'
import { dies } from './plan.ts'
import { type Evidence, replyTo } from './run.ts'
import type { Post, Sent } from './traffic.ts'

export interface Finding {
  /** The text of the message that it is about. */
  readonly text?: string
  readonly says: string
}

/** How long an unknown outcome is repeated: see docs/guarantees.md. */
const REPEATED_FOR_MS = 600_000

/** Faults under which nothing may be acknowledged for a while. */
const BENEATH: ReadonlySet<Fault['kind']> = new Set(['disk', 'log', 'part', 'crash', 'failover'])
/** A process that stood still has let the four seconds pass in which it waits for another's lock, or holds that lock. */
const MAY_BE_503: ReadonlySet<Fault['kind']> = new Set([...BENEATH, 'suspend', 'freeze', 'stand'])
/** The process is there, and answers. */
const ANSWERS: ReadonlySet<Fault['kind']> = new Set(['part'])
/** Real time from the end of a fault to the first delivery that must be stored again. */
const RECOVERS_WITHIN_MS = 2_000

export function judge(evidence: Evidence): Finding[] {
  return [
    ...evidence.damage.map((says) => ({ says })),
    ...evidence.beside,
    ...atTheDoor(evidence),
    ...handled(evidence),
    ...replied(evidence),
    ...inOrder(evidence),
    ...alone(evidence),
    ...counted(evidence),
  ]
}

/**
 * Nothing but 200, and no answer at all only where a process had ended or stood still. A server that does not answer in time
 * makes 503, and how soon it answers is the machine's affair.
 */
function atTheDoor({ plan, sent, moments }: Evidence): Finding[] {
  const allowed = ({ from, until, outcome }: Post) => {
    if ('status' in outcome && (outcome.status === 200 || (plan.over !== 'file' && outcome.status === 503))) return true
    return moments.some(
      (moment) => excuses(moment, outcome) && moment.from <= until && from <= moment.until + RECOVERS_WITHIN_MS,
    )
  }
  return [...sent.values()].flatMap(({ message: { text }, posts }) =>
    posts
      .filter((post) => !allowed(post))
      .map(({ to, outcome }) => ({ text, says: `process ${to} answered ${JSON.stringify(outcome)}` })),
  )
}

/** A step of the clock makes signatures on their way too old or of the future; 503 is for what the disk does alone. */
function excuses({ fault, pids }: Moment, outcome: Post['outcome']): boolean {
  if ('status' in outcome && outcome.status === 401) return fault.kind === 'clock'
  if ('status' in outcome) return outcome.status === 503 && MAY_BE_503.has(fault.kind)
  return pids.length > 0 && !ANSWERS.has(fault.kind)
}

/** Every acknowledged delivery is there once, and was handled to its end. */
function handled({ sent, notes, rows }: Evidence): Finding[] {
  const rowsOfId = Map.groupBy(rows.deliveries, (row) => String(row['delivery_id']))
  const itemOf = new Map(rows.items.map((item) => [item['seq'], item]))
  const ended = new Set(notes.filter(({ what }) => what === 'end').map(({ text }) => text))
  return [...sent.values()].flatMap(({ id, message: { text } }) => {
    const stored = rowsOfId.get(id) ?? []
    const item = itemOf.get(stored[0]?.['seq'])
    if (stored.length !== 1) return [{ text, says: `acknowledged, and ${stored.length} times in the inbox` }]
    if (item?.['state'] !== (dies(text) ? 'dead' : 'done'))
      return [{ text, says: `acknowledged, and not handled: ${JSON.stringify(item)}` }]
    return ended.has(text) || dies(text) ? [] : [{ text, says: 'done, and no handler came to its end' }]
  })
}

/** One reply on the phone; if keys are forgotten, at most one more for each answer that was lost, all marked. */
function replied({ plan, sent, copies, rows, sendNotes }: Evidence): Finding[] {
  const sends = Map.groupBy(rows.sends, (row) => textOf(String(row['body'])))
  const notesOf = Map.groupBy(sendNotes, ({ of }) => of)
  return [...sent.values()].flatMap(({ message: { text } }): Finding[] => {
    const [send, ...others] = sends.get(replyTo(text)) ?? []
    if (dies(text)) return send ? [{ text, says: 'a reply was recorded by a handler that throws before it' }] : []
    if (!send) return [{ text, says: 'no reply was recorded' }]
    if (others.length > 0) return [{ text, says: 'two replies were recorded' }]
    const arrived = copies.get(replyTo(text)) ?? 0
    const asked = (notesOf.get(String(send['key'])) ?? []).filter(({ what }) => what === 'asked').length
    // An answer that was not written is as good as lost.
    const learnt = (notesOf.get(String(send['id'])) ?? []).filter(({ as }) => as !== 'attempting').length
    const lost = Math.max(0, asked - learnt)
    // An attempt whose process ended before its first byte is in doubt too, for the next process.
    const inDoubt = Math.max(asked, Number(send['attempts'])) - learnt
    const most = plan.keysRememberedFor === '24h' ? 1 : 1 + lost
    const marked = send['possibly_twice'] === 1
    const { state } = send
    if (arrived > most) return [{ text, says: `${arrived} replies on the phone, and at most ${most} are promised` }]
    if (arrived > 1 && !marked) return [{ text, says: `${arrived} replies on the phone, and no mark` }]
    if (marked && inDoubt <= 0) return [{ text, says: 'marked as possibly twice, though every answer came' }]
    if (state === 'unknown' && mayBeUnknown(send)) return []
    if (state !== 'accepted') return [{ text, says: `the reply ended as ${String(state)}` }]
    return arrived > 0 ? [] : [{ text, says: 'the reply is recorded as accepted, and is not on the phone' }]
  })
}

/** The wall clock, which steps move, may end the repeats after ten minutes. */
function mayBeUnknown(send: Readonly<Record<string, unknown>>): boolean {
  return Number(send['settled_at']) - Number(send['attempting_since'] ?? send['first_attempt_at']) >= REPEATED_FOR_MS
}

/** A message that came after an older one was acknowledged begins after it. */
function inOrder({ plan, sent, notes }: Evidence): Finding[] {
  const begun = new Map<string, number>()
  notes.forEach(({ what, text }, place) => {
    if (what === 'start' && !begun.has(text)) begun.set(text, place)
  })
  const findings: Finding[] = []
  for (const bursts of plan.bursts.values()) {
    const all = bursts.flatMap(({ messages }) => messages.map(({ text }) => sent.get(text) as Sent))
    for (const later of all)
      for (const older of all) {
        const waited = older.at < later.at && (older.acknowledgedAt ?? Infinity) < (later.posts[0]?.from ?? 0)
        const [first, second] = [begun.get(older.message.text), begun.get(later.message.text)]
        if (waited && first !== undefined && second !== undefined && second < first)
          findings.push({
            text: later.message.text,
            says: `begun before ${older.message.text}, which is older and waited`,
          })
      }
  }
  return findings
}

/** Handlers of one customer never run at the same time, but where the first one was taken to be gone. */
function alone({ notes, moments }: Evidence): Finding[] {
  const running = new Map<string, Note>()
  const findings: Finding[] = []
  for (const note of notes) {
    const other = running.get(note.customer)
    if (note.what !== 'start') {
      if (other?.pid === note.pid) running.delete(note.customer)
      continue
    }
    if (other && !moments.some((moment) => takesAway(moment, { before: other, after: note })))
      findings.push({ text: note.text, says: `begun while ${other.text} ran in ${other.pid}` })
    running.set(note.customer, note)
  }
  return findings
}

interface Overlap {
  readonly before: Note
  readonly after: Note
}

/** The process had ended, or could not renew its lease, or the machine's clock leapt over the lease's end. */
function takesAway({ fault, pids, from, until }: Moment, { before, after }: Overlap): boolean {
  if (after.at < from) return false
  if (pids.includes(before.pid)) return before.at <= until
  // A lease that was taken just before the step is over just after it. Beside a server its clock alone counts.
  if (fault.kind === 'clock') return fault.who === undefined && before.at <= until + LEASE_MS
  return (
    (fault.kind === 'lock' || BENEATH.has(fault.kind)) && before.at <= until && after.at - before.at >= LEASE_MS / 2
  )
}

/** A customer's session counts each message once, since it is written with the settlement. */
function counted({ sent, rows }: Evidence): Finding[] {
  const handledOnes = [...sent.values()].filter(({ message }) => !dies(message.text))
  const messages = Map.groupBy(handledOnes, ({ message }) => message.customer)
  const sessions = new Map(rows.sessions.map((row) => [row['customer'], String(row['value'])]))
  return [...messages].flatMap(([customer, { length }]) => {
    const { handled = 0 } = JSON.parse(sessions.get(customer) ?? '{}') as { handled?: number }
    return handled === length ? [] : [{ says: `the session of ${customer} counts ${handled} of ${length} messages` }]
  })
}

function textOf(body: string): string {
  return (JSON.parse(body) as { text?: string }).text ?? ''
}
