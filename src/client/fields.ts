import type { MessageOut } from '../contract/index.ts'

/** A message's status in lower case, since the service writes both (SEND-17); unknown values are kept. */
export function statusOf(message: Pick<MessageOut, 'status'>): string | undefined {
  const { status } = message
  return typeof status === 'string' && status !== '' ? status.toLowerCase() : undefined
}

const DATE_FORM = /^\d{4}-\d\d-(\d\d)[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?<zone>[Zz]|[+-]\d\d:?\d\d)?$/

/**
 * A date of the service, such as `created_at`, as a time. Undefined if it is absent, null or no date. Without a
 * zone it is read as UTC, whatever this machine's zone is, and `zoned` is false: the specification shows no zone.
 */
export function dateOf(text: string | null | undefined): { at: Date; zoned: boolean } | undefined {
  const parts = typeof text === 'string' && text.length <= 40 ? DATE_FORM.exec(text) : null
  if (parts === null) return undefined
  const zone = parts.groups?.['zone']
  const local = parts[0].slice(0, parts[0].length - (zone?.length ?? 0)).replace(/[t ]/, 'T')
  const clock = new Date(`${local}Z`)
  // `Date` reads 30 February as 2 March.
  if (Number.isNaN(clock.getTime()) || clock.getUTCDate() !== Number(parts[1])) return undefined
  const at = new Date(clock.getTime() - aheadMs(zone))
  return { at, zoned: zone !== undefined }
}

function aheadMs(zone: string | undefined): number {
  const parts = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '')
  if (parts === null) return 0
  return (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) * 60_000
}
