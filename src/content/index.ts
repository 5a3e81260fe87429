/** The contents that a bot can send, and their wire form. */
export type { Choice, Content, Freeform, OneTimeCode, Option, Template } from './content.ts'
export { audio, buttons, document, image, link, list, optionsOf, text, video } from './interactive.ts'
export type * from './template.ts'
export { template } from './template.ts'
export { CODE_WITHHELD, codeIn, oneTimeCode } from './one-time-code.ts'
export {
  componentText,
  countPlaceholders,
  isForCodes,
  type TemplateShape,
  templateShapeOf,
} from './approved-template.ts'
export { digitsOf, recipient } from './recipient.ts'
export { encodeSend, encodeWithheld, wireOf } from './wire.ts'
export {
  isUnsignedTap,
  signedTapParts,
  TAP_NAME,
  TAP_SIGNATURE_CHARACTERS,
  withIssueTime,
  withoutSignature,
} from './tap-id.ts'
