/** The wire: what the service says and expects. Data and schemas alone: no I/O, no clock, no crypto. */
export {
  CODE_EXPIRY,
  codePoints,
  FAILURES_UNTIL_DISABLED,
  LIMITS,
  TIMESTAMP_TOLERANCE_SECONDS,
  WINDOW_MS,
} from './limits.ts'
export {
  DEFAULT_HEADER_PREFIX,
  type DeliveryHeaders,
  deliveryHeaders,
  EMULATOR_CLOCK_OFFSET,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_REPLAYED,
  PHONE_NUMBER_ID,
} from './headers.ts'
export {
  canonicalDeliveryId,
  DELIVERY_ID_FORM,
  EVENT_NAME_FORM,
  SIGNATURE_FORM,
  SIGNATURE_SCHEME,
  signedPrefix,
  TIMESTAMP_FORM,
} from './signature.ts'
export { type EventName, EVENTS, type KnownStatus, STATUS_ORDER, STATUSES } from './events.ts'
export { API_ERRORS, type ApiErrorCode, type ErrorRule, ruleOf } from './errors.ts'
export { API_PREFIX, ENDPOINTS } from './endpoints.ts'
export { type Interactive, interactiveSchema } from './interactive.ts'
export {
  HEADER_MEDIA,
  type HeaderMedium,
  INBOUND_KINDS,
  INBOUND_MEDIA_KINDS,
  type InboundKind,
  type InboundMediaKind,
  isMessageType,
  type MediaType,
  MESSAGE_TYPES,
  type MessageMember,
  type MessageType,
  OUTBOUND_KINDS,
  readsMember,
} from './message-kinds.ts'
export {
  componentSchema,
  parameterSchema,
  type SendRequest,
  sendSchema,
  type TemplateComponent,
} from './send.ts'
export {
  type MessageOut,
  messageSchema,
  type TemplateOut,
  templateSchema,
  type TemplatesPage,
  templatesPageSchema,
} from './answers.ts'
