import { parseBody, type Sample, typesOf } from './payload/index.ts'

/**
 * The types of recorded deliveries: see `typesOf`. Undefined where none has a body that is a JSON object.
 *
 * @internal
 */
export function typesOfRecorded(deliveries: Iterable<{ event: string; body: Uint8Array }>): string | undefined {
  const samples: Sample[] = []
  for (const { event, body } of deliveries) {
    const parsed = parseBody(body)
    if ('json' in parsed) samples.push({ event, json: parsed.json })
  }
  return samples.length === 0 ? undefined : typesOf(samples)
}
