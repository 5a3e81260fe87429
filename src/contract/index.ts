/** The wire: what the service says and expects. Data and schemas alone: no I/O, no clock, no crypto. */
export { CODE_EXPIRY, codePoints, LIMITS, WINDOW_MS } from './endpoints.ts'
export {
  API_PREFIX,
  EMULATOR_CLOCK_OFFSET,
  EMULATOR_FAULT,
  ENDPOINTS,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_REPLAYED,
  PHONE_NUMBER_ID,
} from './endpoints.ts'
export {
  canonicalDeliveryId,
  DEFAULT_HEADER_PREFIX,
  DELIVERY_ID_FORM,
  type DeliveryHeaders,
  deliveryHeaders,
  EVENT_NAME_FORM,
  type EventName,
  EVENTS,
  FAILURES_UNTIL_DISABLED,
  type KnownStatus,
  SIGNATURE_FORM,
  SIGNATURE_SCHEME,
  signedPrefix,
  STATUS_ORDER,
  STATUSES,
  TIMESTAMP_FORM,
  TIMESTAMP_TOLERANCE_SECONDS,
} from './delivery.ts'
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
  type Interactive,
  interactiveSchema,
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
export { readTemplatesPage } from './answers.ts'
export { API_ERRORS, type ApiErrorCode, type ErrorRule, ruleOf } from './errors.ts'
