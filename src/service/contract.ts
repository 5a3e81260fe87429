/** The wire: everything that the service sends and expects. Only data and schemas: no I/O, no clock, no crypto. */
export {
  API_PREFIX,
  CODE_EXPIRY,
  codePoints,
  EMULATOR_CLOCK_OFFSET,
  EMULATOR_FAULT,
  ENDPOINTS,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_REPLAYED,
  LIMITS,
  PHONE_NUMBER_ID,
  WINDOW_MS,
} from './endpoints.ts'
export * from './delivery.ts'
export {
  HEADER_MEDIA,
  type HeaderMedium,
  INBOUND_KINDS,
  INBOUND_MEDIA_KINDS,
  type InboundKind,
  type InboundMediaKind,
  isMessageType,
  isSignal,
  type MediaType,
  MESSAGE_TYPES,
  type MessageMember,
  type MessageType,
  OUTBOUND_KINDS,
  readsMember,
  SIGNAL_KINDS,
  type SignalKind,
} from './message-kinds.ts'
export * from './send-request.ts'
export * from './answers.ts'
export * from './error-table.ts'
