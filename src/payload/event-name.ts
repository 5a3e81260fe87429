import { isRecord } from '../base/value.ts'
import { compile, first } from './candidates.ts'
import { gather, hitsOf } from './gather.ts'
import { isEventName } from './likeness.ts'

const NAMES = compile({ name: first('event event.{name,type} event_type event_name type') })
const TABLES = { message: NAMES, above: NAMES }

/** The payload's own idea of its event's name, such as `message.received`. The header's is the one that counts. */
export function eventNameInside(json: unknown): string | undefined {
  if (!isRecord(json)) return undefined
  const hits = gather({ spot: { object: json, path: '', key: '' }, isMessage: false }, TABLES)
  return hitsOf(hits, 'name').find((hit) => isEventName(hit.value))?.value as string | undefined
}
