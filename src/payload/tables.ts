import { compile, first, last, next, type Table, type Tables } from './candidates.ts'

// Places in plain spelling; their order is their rank. Generic names (`id`, `type`, `status`, `timestamp`) are looked
// for in the message object only: in the objects above it they are the event's own, with the few exceptions below.

const OBJECTS = '{media,image,audio,voice,video,document,sticker,file,attachment,attachments[0]}'

// ── customer and numbers ────────────────────────────────────────────────────────────────────────────

const people = `customer_number customer_phone customer_phone_number
  customer.{phone,phone_number,number,wa_id} contact.{phone,phone_number,number,wa_id}`

const conversation = 'conversation.{customer.phone,customer_phone,contact.phone_number,phone_number}'

const inbound: Table = {
  customer: [
    ...first(`from from.{number,phone,phone_number,wa_id} ${people}`),
    ...next('sender sender.{phone,phone_number,wa_id} external_number wa_id'),
    // A list of several contacts does not say who wrote the message.
    ...first('contacts[only].wa_id'),
    ...next(`${conversation} msisdn phone`),
    ...last('from.id chat_id phone_number'),
  ],
  userId: next('from_user_id user_id contact.user_id bsuid'),
  ours: next('to to.{number,phone} display_phone_number metadata.display_phone_number'),
}

const outbound: Table = {
  customer: [
    ...next('to to.{number,phone} recipient recipient.{phone,number,wa_id} recipient_id recipient_number'),
    ...next(`${people} ${conversation} wa_id phone`),
    ...last('phone_number'),
  ],
  userId: next('recipient_user_id user_id contact.user_id bsuid'),
  ours: next('from from.{number,phone} display_phone_number metadata.display_phone_number'),
}

const anyone: Table = {
  customer: [...first(people), ...next(`${conversation} wa_id msisdn phone`), ...last('phone_number')],
  userId: next('user_id contact.user_id bsuid'),
  ours: next('display_phone_number metadata.display_phone_number'),
}

const number: Table = {
  numberId: [
    ...first('phone_number_id metadata.phone_number_id'),
    ...next('business_phone_number_id {channel,account}.phone_number_id'),
    ...last('number_id number.id line.id'),
  ],
}

// ── ids of the message ──────────────────────────────────────────────────────────────────────────────

const upstreamId = [
  ...first('wa_message_id wamid wam_id whatsapp_message_id'),
  ...last('platform_message_id upstream_id provider_message_id external_id message_uuid'),
]
const ids: Table = { messageId: first('message_id message.id id'), upstreamId }
const idsAbove: Table = { messageId: first('message_id message.id'), upstreamId }

// ── content ─────────────────────────────────────────────────────────────────────────────────────────

const content: Table = {
  kind: first('message_type type kind content.type content_type message.type'),
  text: first(`text text.{body,text} content content.{text,body} body body.text
    message message.text message_body payload.text`),
  mediaUrl: first(`media_url ${OBJECTS}.{url,link,media_url} file_url content.url payload.url`),
  mediaMime: first(`media_mime_type ${OBJECTS}.{mime_type,mimetype,content_type} mime_type`),
  mediaFilename: first(`media_filename ${OBJECTS}.{filename,file_name,name}`),
  mediaCaption: first(`media_caption caption ${OBJECTS}.caption`),
  milliseconds: first(`media_duration_ms duration_ms ${OBJECTS}.duration_ms`),
  seconds: first('duration_seconds seconds voice.seconds'),
  unitless: first(`duration ${OBJECTS}.duration`),
}

const taps: Table = {
  interactive: first('interactive'),
  option: first(`interactive.{button_reply,list_reply,reply} button_reply list_reply
    interactive_button_reply interactive_reply reply selection selected option choice interactive`),
  optionId: first(`option_id selected_option_id selected_id button_id row_id list_row_id reply_id
    interactive_reply_id selected_button_id choice_id`),
  optionTitle: first('option_title selected_title button_title button_text row_title reply_title'),
  quickReply: first(`button.payload quick_reply.payload quick_reply_payload button_payload button_reply.payload
    interactive.payload postback.payload postback postback_text payload`),
  quickReplyTitle: first('button.text quick_reply.{text,title} button_text postback.title'),
}

// ── time, status, failure, template ─────────────────────────────────────────────────────────────────

const time: Table = { at: first('timestamp received_at sent_at occurred_at created_at send_time time') }
const timeAbove: Table = { at: next('timestamp occurred_at created_at at') }

const statusTime: Table = {
  at: [
    ...first('status_changed_at status_at {sent,delivered,read,played,failed}_at timestamp occurred_at'),
    // The time of the message's creation is not the time of its status.
    ...next('updated_at created_at'),
  ],
}

const changed = 'new_status message_status delivery_status'

// At places of the last choice only a known status counts: other values belong to the envelope or to other things.
const status: Table = {
  status: [...first(`${changed} status status.{value,name}`), ...last('state status_string event')],
}
const statusAbove: Table = { status: [...first(changed), ...last('status')] }

const reasons = `failure_reason failed_reason failed_detail error_message error error.{message,title,reason}
  errors[0].{error_data.details,message,title}`

const failure: Table = { failureReason: [...first(reasons), ...last('reason description')] }
const failureAbove: Table = { failureReason: first(reasons) }

const template: Table = {
  templateId: first('template_id template.id message_template_id id'),
  templateName: first('template_name template.name message_template_name name'),
  templateLanguage: first(`template_language template.language message_template_language language language.code`),
  templateStatus: first(`${changed} template.status status status.{value,name} state event`),
  previousStatus: first('previous_status old_status template.{previous_status,old_status}'),
  templateReason: first('reason rejected_reason template.{reason,rejected_reason}'),
  category: first('category template.category message_template_category'),
}

// ── per event ───────────────────────────────────────────────────────────────────────────────────────

const around = { ...number, ...timeAbove }

const BY_EVENT: Readonly<Record<string, Tables>> = {
  'message.received': tables(
    { ...inbound, ...number, ...ids, ...content, ...taps, ...time, direction: first('direction') },
    { ...inbound, ...around, ...idsAbove },
  ),
  'message.status': tables(
    { ...outbound, ...number, ...ids, ...status, ...statusTime, ...failure },
    { ...outbound, ...around, ...idsAbove, ...statusAbove, ...failureAbove },
  ),
  'message.sent': tables(
    { ...outbound, ...number, ...ids, ...content, ...status, ...time, ...failure },
    { ...outbound, ...around, ...idsAbove },
  ),
  'template.status': tables({ ...number, ...template, ...time }, { ...around }),
  'account.error': tables({ ...anyone, ...number, ...time, ...failure }, { ...anyone, ...around, ...failureAbove }),
}

const OTHER = tables({ ...anyone, ...number, ...time }, { ...anyone, ...around })

export function tablesOf(event: string): Tables {
  return (Object.hasOwn(BY_EVENT, event) ? BY_EVENT[event] : undefined) ?? OTHER
}

function tables(message: Table, above: Table): Tables {
  return { message: compile(message), above: compile(above) }
}
