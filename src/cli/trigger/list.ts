import { EVENTS } from '../../contract/index.ts'
import { table } from '../table.ts'

const WORDS = { confirmed: 'confirmed', declared: 'declared, not confirmed' } as const

/** The events that the service names, and what its specification says of them. */
export function listEvents({ json }: { readonly json?: boolean }): void {
  const events = Object.entries(EVENTS)
  if (json) for (const [event, known] of events) process.stdout.write(`${JSON.stringify({ event, known })}\n`)
  else
    process.stdout.write(
      `${table([['EVENT', 'SPECIFICATION'], ...events.map(([event, known]) => [event, WORDS[known]])]).join('\n')}\n`,
    )
}
