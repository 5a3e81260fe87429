/** Fires the conformance matrix at any receiver over HTTP; it shares no rule's code with our own receiver. */
export { type Check, levelOf, type Verdict } from './check.ts'
export { isFromMatrix, NOBODY } from './mark.ts'
export { MATRIX } from './matrix/index.ts'
export { isKnown, type Verified, verifyReceiver, type VerifyOptions } from './run.ts'
