import { string } from './check.ts'
import { built, type Built, type Freeform } from './content.ts'

/** A plain text of at most 4096 characters, not blank (SEND-03). A bare string says the same. */
export function text(body: string): Freeform {
  return textOf(body, 'text()')
}

export function textOf(body: unknown, builder: string): Built<Freeform> {
  return built({ kind: 'text' }, { type: 'text', text: string({ builder, path: 'the text' }, body) })
}
