import { describeReply, replyOf } from '../../testing/describe.ts'
import type { Sent } from '../../testing/message-view.ts'
import type { RecordedReply } from '../../testing/recording.ts'

/**
 * Compares messages with the recorded ones: a line for each, two if they differ. A member that a recorded reply leaves
 * out may be anything, except `refused`. Undefined if nothing differs.
 */
export function difference(recorded: readonly RecordedReply[], sent: readonly Sent[]): string | undefined {
  const got = sent.map(replyOf)
  const pairs = Array.from({ length: Math.max(recorded.length, got.length) }, (_, index) => ({
    wanted: recorded[index],
    came: got[index],
  }))
  if (pairs.every(({ wanted, came }) => wanted && came && fits(came, wanted))) return undefined
  return pairs.map(({ wanted, came }) => linesOf(wanted, came)).join('\n')
}

function fits(came: RecordedReply, wanted: RecordedReply): boolean {
  const isSame = (name: keyof RecordedReply) => JSON.stringify(wanted[name]) === JSON.stringify(came[name])
  const { template } = wanted
  return (
    came.refused === wanted.refused &&
    (['to', 'text', 'kind', 'options', 'url'] as const).every((name) => wanted[name] === undefined || isSame(name)) &&
    (template === undefined || JSON.stringify({ ...came.template, ...template }) === JSON.stringify(came.template))
  )
}

function linesOf(wanted: RecordedReply | undefined, came: RecordedReply | undefined): string {
  if (wanted && came && fits(came, wanted)) return `    ${describeReply(came)}`
  return [
    `  - recorded ${wanted ? describeReply(wanted) : 'nothing more'}`,
    `  + came     ${came ? describeReply(came) : 'nothing more'}`,
  ].join('\n')
}
