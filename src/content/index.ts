/** What can be said, and its wire form. */
export type { Choice, Content, Freeform, OneTimeCode, Option, Template } from './content.ts'
export { text } from './text.ts'
export { buttons, list } from './choice.ts'
export { link } from './link.ts'
export { audio, document, image, video } from './media.ts'
export {
  type ButtonParameter,
  type HeaderParameter,
  type Lang,
  type Params,
  template,
  type TemplateName,
  type TemplateParameters,
} from './template.ts'
export type { OneTimeCodes, Templates } from './templates.ts'
export { isForCodes, placeholders, type Takes, takesOf, textOfPart } from './approved.ts'
export { CODE_WITHHELD, codeIn, oneTimeCode } from './code.ts'
export { digitsOf, recipient } from './recipient.ts'
export { type EncodeOptions, encodeSend, encodeWithheld, type Validation, wireOf } from './wire.ts'
export { isUnsealed, partsOf, SEAL_CHARACTERS, stamped, TAP_NAME } from './tap-id.ts'
