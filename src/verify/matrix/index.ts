import type { Check } from '../check.ts'
import { BYTES } from './bytes.ts'
import { CONTENT } from './content.ts'
import { AFTER_GENUINE, GENUINE } from './genuine.ts'
import { HTTP, STILL_THERE } from './http.ts'
import { IDENTITY } from './identity.ts'
import { SIGNATURES } from './signatures.ts'
import { TIMES } from './times.ts'

/** The conformance matrix, in the order in which it is fired. */
export const MATRIX: readonly Check[] = [
  GENUINE,
  ...AFTER_GENUINE,
  ...BYTES,
  ...SIGNATURES,
  ...TIMES,
  ...IDENTITY,
  ...CONTENT,
  ...HTTP,
  STILL_THERE,
]

export { GENUINE }
