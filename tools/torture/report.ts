/** Tells what a run was, and the story of each message that went wrong. */
import type { Fault } from './decks.ts'
import { type Evidence, replyTo } from './run.ts'
import type { Finding } from './verdict.ts'

const MOST_FINDINGS = 10
/** Faults that no process dies of. */
const LIVES_ON: ReadonlySet<Fault['kind']> = new Set(['suspend', 'freeze', 'stand', 'part'])
const KIND_CHARACTERS = 60

/** One line of figures. */
export function summary({ plan, sent, moments, copies, rows, sendNotes, outside, log, seconds }: Evidence): string {
  const posts = [...sent.values()].flatMap((one) => one.posts)
  const kinds = Object.entries(Object.groupBy(moments, ({ fault }) => fault.kind))
  const ended = moments.flatMap(({ fault, pids }) => (LIVES_ON.has(fault.kind) ? [] : pids)).length
  const twice = [...copies.values()].filter((count) => count > 1).length
  return [
    `seed ${plan.seed}, over one ${plan.over}, keys remembered ${plan.keysRememberedFor}: ${number(sent.size)} deliveries in ${number(posts.length)} posts, ${Math.round(seconds)} s`,
    `${number(moments.length)} faults (${kinds.map(([kind, all]) => `${all?.length} ${kind}`).join(', ')}), ${ended} processes ended`,
    `answers: ${tally(posts.map(({ outcome }) => ('status' in outcome ? String(outcome.status) : outcome.none)))}`,
    `${number(rows.sends.length)} replies by ${number(sendNotes.filter(({ what }) => what === 'asked').length)} calls: ${twice} on the phone more than once, ${rows.sends.filter((row) => row['possibly_twice'] === 1).length} marked, ${rows.sends.filter((row) => row['state'] === 'unknown').length} unknown`,
    outside,
    ...(plan.over === 'file'
      ? []
      : [
          `the server's log: ${log['40P01'] ?? 0} deadlocks (40P01), ${log['23505'] ?? 0} conflicts of unique indexes (23505)`,
        ]),
  ].join('\n')
}

export function explain(findings: readonly Finding[], evidence: Evidence): string {
  const told = findings.slice(0, MOST_FINDINGS).map((finding) => {
    const story = finding.text === undefined ? [] : storyOf(finding.text, evidence)
    return [`${finding.text ?? 'the run'}: ${finding.says}`, ...story].join('\n    ')
  })
  const kinds = tally(findings.map(({ says }) => says.replaceAll(/\d+/g, '…').slice(0, KIND_CHARACTERS)))
  return [`${findings.length} findings, with seed ${evidence.plan.seed}: ${kinds}`, ...told].join('\n\n')
}

/** All that is known of one message, in the order of real time, with the faults of that while. */
function storyOf(text: string, { sent, notes, sendNotes, moments, rows, copies }: Evidence): string[] {
  const one = sent.get(text)
  if (!one) return []
  const send = rows.sends.find((row) => String(row['body']).includes(JSON.stringify(replyTo(text))))
  const delivery = rows.deliveries.find((row) => row['delivery_id'] === one.id)
  const lines: [at: number, line: string][] = [
    ...one.posts.flatMap(({ to, from, until, outcome }): [number, string][] => [
      [from, `posted to ${to}`],
      [until, `answer of ${to}: ${JSON.stringify(outcome)}`],
    ]),
    ...notes
      .filter((note) => note.text === text)
      .map(({ at, what, pid, attempt }): [number, string] => [at, `${pid}: handler, ${what} of attempt ${attempt}`]),
    ...sendNotes
      .filter(({ of }) => of === send?.['key'] || of === send?.['id'])
      .map(({ at, what, as, pid }): [number, string] => [at, `${pid}: reply ${what} ${as}`]),
  ]
  const [first, last] = [Math.min(...lines.map(([at]) => at)), Math.max(...lines.map(([at]) => at))]
  for (const { fault, from, until, pids } of moments)
    if (from <= last && until >= first)
      lines.push([from, `FAULT ${describe(fault)} ${pids.join(', ')}, over after ${until - from} ms`])
  return [
    `delivery ${one.id} of ${one.message.customer}, payload time ${new Date(one.at).toISOString()}`,
    ...lines.sort(([a], [b]) => a - b).map(([at, line]) => `${String(at - first).padStart(6)} ms  ${line}`),
    `delivery: ${JSON.stringify(delivery)}`,
    `item: ${JSON.stringify(rows.items.find((row) => row['seq'] === delivery?.['seq']))}`,
    `send: ${JSON.stringify(send)}`,
    `on the phone: ${copies.get(replyTo(text)) ?? 0}`,
  ]
}

function describe({ kind, ...more }: Fault): string {
  return `${kind} ${JSON.stringify(more)}`
}

function tally(all: readonly string[]): string {
  return Object.entries(Object.groupBy(all, (one) => one))
    .map(([one, same = []]) => `${number(same.length)} × ${one}`)
    .join(', ')
}

function number(value: number): string {
  return value.toLocaleString('en')
}
