import { isRecord } from '../base/value.ts'
import type { Candidate } from './candidates.ts'
import { alarm, type Evidence, firstOf, reading } from './evidence.ts'
import type { Reading, Tapped } from './facts.ts'
import { type Hit, hitsOf } from './gather.ts'
import type { JsonObject } from './json.ts'
import { plainName } from './names.ts'
import { idOf, isUpstream, lostDigits, textOf } from './values.ts'

const INTERACTIVE = 'interactive'

/** What the customer tapped, an option's id or a quick reply's payload, and the kind that such a message has. */
export function readTapped(evidence: Evidence): { tapped: Reading<Tapped>; kind: string } | undefined {
  const rendered = isRendered(hitsOf(evidence.hits, INTERACTIVE)[0])
  const option = readOption(evidence, rendered) ?? readFlatOption(evidence)
  if (option) return { tapped: option, kind: 'interactive' }
  const quickReply = readQuickReply(evidence, rendered)
  return quickReply && { tapped: quickReply, kind: 'button' }
}

function readOption(evidence: Evidence, rendered: boolean): Reading<Tapped> | undefined {
  for (const { candidate, value, path } of hitsOf(evidence.hits, 'option')) {
    if (!isRecord(value) || (rendered && isInteractive(candidate))) continue
    const id = optionIdOf(evidence, member(value, 'id'), path)
    // The object itself is a tap only where it says that it is a reply.
    const isFlat = candidate.path === INTERACTIVE
    if (id === undefined || (isFlat && !textOf(member(value, 'type'))?.toLowerCase().endsWith('reply'))) continue
    return reading({ id, title: textOf(member(value, 'title')) ?? textOf(member(value, 'text')) }, path, true)
  }
  return undefined
}

// With buttons or sections, `interactive` is the drawing of a message that went out: nobody tapped it.
function isRendered(hit: Hit | undefined): boolean {
  if (!hit || !isRecord(hit.value)) return false
  const { value } = hit
  return ['buttons', 'sections'].some((name) => {
    const list = member(value, name)
    return Array.isArray(list) && list.length > 0
  })
}

function readFlatOption(evidence: Evidence): Reading<Tapped> | undefined {
  for (const { value, path } of hitsOf(evidence.hits, 'optionId')) {
    const id = optionIdOf(evidence, value, path)
    if (id !== undefined) return reading({ id, title: firstOf(evidence, 'optionTitle', textOf)?.value }, path, true)
  }
  return undefined
}

function readQuickReply(evidence: Evidence, rendered: boolean): Reading<Tapped> | undefined {
  for (const { candidate, value, path } of hitsOf(evidence.hits, 'quickReply')) {
    const id = textOf(value)
    if (id === undefined || (rendered && isInteractive(candidate))) continue
    return reading({ id, title: firstOf(evidence, 'quickReplyTitle', textOf)?.value }, path, true)
  }
  return undefined
}

function isInteractive({ path }: Candidate): boolean {
  return path === INTERACTIVE || path.startsWith(`${INTERACTIVE}.`)
}

// A `reply` with a message's id is a quotation.
function optionIdOf(evidence: Evidence, value: unknown, path: string): string | undefined {
  if (lostDigits(value)) alarm(evidence, 'unsafe_number', 'tapped', path)
  return isUpstream(value) ? undefined : idOf(value)
}

function member(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const key = Object.keys(object).find((each) => plainName(each) === name)
  return key === undefined ? undefined : object[key]
}
