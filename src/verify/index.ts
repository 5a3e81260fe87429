/** The conformance matrix, fired at any receiver over HTTP; it judges by code of its own. */
export type { Check, Verdict } from './check.ts'
export { MATRIX } from './matrix/index.ts'
export { isKnown, type Verified, verifyReceiver, type VerifyOptions } from './run.ts'
