import type { Words } from './facts.ts'
import {
  amountOf,
  emojiOf,
  idOf,
  latitudeOf,
  longitudeOf,
  mediaTypeOf,
  momentOf,
  nameOf,
  phoneOf,
  secondsOf,
  textOf,
  userIdOf,
  webAddressOf,
  wordsOf,
} from './values.ts'
import { changeOf, echoOf, kindOf, knownStatusOf, markOf, statusOf, templateStatusOf } from './words.ts'

/** Reads a value of one form; undefined for any other value. `words`: what the app says that the payload's words mean. */
export type Form<T = unknown> = (value: unknown, words?: Words) => T | undefined

/** What is read by a table, with the form of its values. A member of a fact, such as `media.url`, has its own table. */
export const FORMS = {
  customer: phoneOf,
  userId: userIdOf,
  /** Our own phone number. */
  ours: phoneOf,
  numberId: idOf,
  messageId: idOf,
  upstreamId: idOf,
  kind: kindOf,
  deleted: markOf('deleted'),
  edited: markOf('edited'),
  text: textOf,
  /** It is in no table, but derived from the message's kind and from the rest. */
  'media.kind': kindOf,
  'media.url': webAddressOf,
  'media.mime': mediaTypeOf,
  'media.filename': textOf,
  'media.caption': textOf,
  'media.durationMs': amountOf,
  /** In seconds for one service and in milliseconds for another, so it is not guessed. */
  duration: amountOf,
  'reaction.emoji': emojiOf,
  'reaction.to': idOf,
  'location.latitude': latitudeOf,
  'location.longitude': longitudeOf,
  'location.name': textOf,
  'location.address': textOf,
  interactive: anyOf,
  option: anyOf,
  optionId: anyOf,
  optionTitle: textOf,
  quickReply: textOf,
  quickReplyTitle: textOf,
  name: nameOf,
  echo: echoOf,
  at: momentOf,
  status: statusOf,
  failureReason: textOf,
  'template.id': idOf,
  'template.name': textOf,
  'template.language': textOf,
  'template.status': templateStatusOf,
  'template.previousStatus': templateStatusOf,
  'template.reason': textOf,
  'template.category': textOf,
  eventName: anyOf,
} satisfies Record<string, Form>

export type TableName = keyof typeof FORMS

export type ValueOf<N extends TableName> = NonNullable<ReturnType<(typeof FORMS)[N]>>

/** For whatever is examined where it is read. */
function anyOf(value: unknown): unknown {
  return value
}

/**
 * How far a place can be trusted. `certain`: a fact found here is sure. `likely`: read after the certain ones, and
 * compared with them. `lastResort`: may contain something else, such as another id or our own number; read only if
 * nothing better is found, and never compared.
 */
export type Rank = 'certain' | 'likely' | 'lastResort'

/** A place where a fact may be. */
export interface Place {
  /** In plain spelling, for instance `customer.phone` or `errors[0].message`. `[only]`: the element of a list of one. */
  readonly path: string
  readonly rank: Rank
  /** Only in the message object, or only in the objects around it. */
  readonly only?: 'message' | 'around'
  /** Of the values at this place, if it is another than that of the table. */
  readonly form?: Form
}

/** The places of a fact, the best first. */
type Places = readonly Place[]

export type Tables = { readonly [N in TableName]?: Places }

/** Paths are separated by spaces. `customer.{phone,number}` is short for two. */
const placesOf =
  (rank: Rank) =>
  (paths: string, form?: Form): Places =>
    wordsOf(paths)
      .flatMap(expandBraces)
      .map((path) => ({ path, rank, ...(form && { form }) }))

const certain = placesOf('certain')
const likely = placesOf('likely')
const lastResort = placesOf('lastResort')

function expandBraces(path: string): string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(path)
  if (!braces) return [path]
  const [, before = '', inside = '', after = ''] = braces
  return inside.split(',').flatMap((each) => expandBraces(before + each + after))
}

// Generic names (`id`, `type`, `status`, `timestamp`) are searched only in the message object, because above it they
// are the event's own, with few exceptions.
const inMessage = (...places: Places[]): Places => places.flat().map((place) => ({ ...place, only: 'message' }))
const around = (...places: Places[]): Places => places.flat().map((place) => ({ ...place, only: 'around' }))

function allInMessage(tables: Tables): Tables {
  const own = (places: Places) => inMessage(places.filter(({ only }) => only !== 'around'))
  return Object.fromEntries(Object.entries(tables).map(([name, places]) => [name, own(places)]))
}

// ── customer and numbers ────────────────────────────────────────────────────────────────────────────

const people = `customer_number customer_phone customer_phone_number
  customer.{phone,phone_number,number,wa_id} contact.{phone,phone_number,number,wa_id}`

const conversation = 'conversation.{customer.phone,customer_phone,contact.phone_number,phone_number}'

const display = 'display_phone_number metadata.display_phone_number'

const writer: Tables = {
  customer: [
    ...certain(`from from.{number,phone,phone_number,wa_id} ${people}`),
    ...likely('sender sender.{phone,phone_number,wa_id} external_number wa_id'),
    // A list of several contacts does not identify the author of the message.
    ...certain('contacts[only].wa_id'),
    ...likely(`${conversation} msisdn phone`),
    ...lastResort('from.id chat_id phone_number'),
  ],
  userId: likely('from_user_id user_id contact.user_id bsuid'),
  ours: likely(`to to.{number,phone} ${display}`),
}

const recipient: Tables = {
  customer: [
    ...likely('to to.{number,phone} recipient recipient.{phone,number,wa_id} recipient_id recipient_number'),
    ...likely(`${people} ${conversation} wa_id phone`),
    ...lastResort('phone_number'),
  ],
  userId: likely('recipient_user_id user_id contact.user_id bsuid'),
  ours: likely(`from from.{number,phone} ${display}`),
}

const anyone: Tables = {
  customer: [...certain(people), ...likely(`${conversation} wa_id msisdn phone`), ...lastResort('phone_number')],
  userId: likely('user_id contact.user_id bsuid'),
  ours: likely(display),
}

const number: Tables = {
  numberId: [
    ...certain('phone_number_id metadata.phone_number_id'),
    ...likely('business_phone_number_id {channel,account}.phone_number_id'),
    ...lastResort('number_id number.id line.id'),
  ],
}

const names = '{contact,customer,profile}.name contact.profile.name {contact,customer,profile,sender}_name push_name'

const author: Tables = {
  name: [
    ...certain(names),
    ...inMessage(certain('from.name sender.name')),
    ...certain('contacts[only].profile.name'),
    ...inMessage(certain('notify_name')),
    ...around(certain('contacts[only].name')),
  ],
  echo: [
    ...certain('{from_me,is_from_me,is_echo,echo} key.from_me message_echo direction message_direction'),
    ...inMessage(certain('source sender_type')),
  ],
}

// ── ids of the message ──────────────────────────────────────────────────────────────────────────────

const ids: Tables = {
  messageId: [...certain('message_id message.id'), ...inMessage(certain('id'))],
  upstreamId: [
    ...certain('wa_message_id wamid wam_id whatsapp_message_id'),
    ...lastResort('platform_message_id upstream_id provider_message_id external_id message_uuid'),
  ],
}

// ── content ─────────────────────────────────────────────────────────────────────────────────────────

const files = '{media,image,audio,voice,video,document,sticker,file,attachment,attachments[0]}'
const latitudes = '{latitude,lat,degrees_latitude}'
const longitudes = '{longitude,lng,lon,long,degrees_longitude}'

const content = allInMessage({
  kind: certain('message_type type kind content.type content_type message.type'),
  text: certain(`text text.{body,text} content content.{text,body} body body.text
    message message.text message_body payload.text`),
  'media.url': certain(`media_url ${files}.{url,link,media_url} file_url content.url payload.url`),
  'media.mime': certain(`media_mime_type ${files}.{mime_type,mimetype,content_type} mime_type`),
  'media.filename': certain(`media_filename ${files}.{filename,file_name,name}`),
  'media.caption': certain(`media_caption caption ${files}.caption`),
  'media.durationMs': [
    ...certain(`media_duration_ms duration_ms ${files}.duration_ms`),
    ...certain('duration_seconds seconds voice.seconds', secondsOf),
  ],
  duration: certain(`duration ${files}.duration`),
})

const signals = allInMessage({
  'reaction.emoji': certain('reaction.{emoji,text,reaction,value} reaction emoji reaction_emoji'),
  'reaction.to': certain(`reaction.{message_id,msg_id,msg_key.id,key.id,to,id,wa_message_id} reacted_to
    reacted_message_id reaction_message_id reaction_to target_message_id context.{message_id,id} quoted_message_id`),
  edited: [...certain('edited is_edited edited_at edit_date'), ...certain('action subtype sub_type', changeOf)],
  deleted: certain('deleted is_deleted deleted_at revoked is_revoked revoked_at unsent is_unsent'),
})

const place = allInMessage({
  'location.latitude': certain(
    `location.${latitudes} location.coordinates.${latitudes} ${latitudes} coordinates.${latitudes}`,
  ),
  'location.longitude': certain(
    `location.${longitudes} location.coordinates.${longitudes} ${longitudes} coordinates.${longitudes}`,
  ),
  'location.name': certain('location.{name,title} location_name'),
  'location.address': certain('location.{address,description} location_address'),
})

const taps = allInMessage({
  interactive: certain('interactive'),
  option: certain(`interactive.{button_reply,list_reply,reply} button_reply list_reply
    interactive_button_reply interactive_reply reply selection selected option choice interactive`),
  optionId: certain(`option_id selected_option_id selected_id button_id row_id list_row_id reply_id
    interactive_reply_id selected_button_id choice_id`),
  optionTitle: certain('option_title selected_title button_title button_text row_title reply_title'),
  quickReply: certain(`button.payload quick_reply.payload quick_reply_payload button_payload button_reply.payload
    interactive.payload postback.payload postback postback_text payload`),
  quickReplyTitle: certain('button.text quick_reply.{text,title} button_text postback.title'),
})

// ── time, status, failure, template ─────────────────────────────────────────────────────────────────

const timeAround = around(likely('timestamp occurred_at created_at at'))

const time: Tables = {
  at: [...inMessage(certain('timestamp received_at sent_at occurred_at created_at send_time time')), ...timeAround],
}

const statusTime: Tables = {
  at: [
    ...inMessage(
      certain('status_changed_at status_at {sent,delivered,read,played,failed}_at timestamp occurred_at'),
      // The time of the message's creation is not the time of its status.
      likely('updated_at created_at'),
    ),
    ...timeAround,
  ],
}

const changed = 'new_status message_status delivery_status'

// As a last resort only a known status counts, because other values belong to the envelope or to other things.
const status: Tables = {
  status: [
    ...certain(changed),
    ...inMessage(certain('status status.{value,name}'), lastResort('state status_string event', knownStatusOf)),
    ...around(lastResort('status', knownStatusOf)),
  ],
}

const failure: Tables = {
  failureReason: [
    ...certain(`failure_reason failed_reason failed_detail error_message error error.{message,title,reason}
      errors[0].{error_data.details,message,title}`),
    ...inMessage(lastResort('reason description')),
  ],
}

const template = allInMessage({
  'template.id': certain('template_id template.id message_template_id id'),
  'template.name': certain('template_name template.name message_template_name name'),
  'template.language': certain('template_language template.language message_template_language language language.code'),
  'template.status': certain(`${changed} template.status status status.{value,name} state event`),
  'template.previousStatus': certain('previous_status old_status template.{previous_status,old_status}'),
  'template.reason': certain('reason rejected_reason template.{reason,rejected_reason}'),
  'template.category': certain('category template.category message_template_category'),
})

// ── per event ───────────────────────────────────────────────────────────────────────────────────────

export const BY_EVENT = {
  'message.received': {
    ...{ ...writer, ...author, ...number, ...ids, ...time },
    ...{ ...content, ...signals, ...place, ...taps },
  },
  'message.status': { ...recipient, ...number, ...ids, ...status, ...statusTime, ...failure },
  'message.sent': { ...recipient, ...number, ...ids, ...content, ...allInMessage({ ...status, ...failure }), ...time },
  'template.status': { ...number, ...template, ...time },
  'account.error': { ...anyone, ...number, ...time, ...failure },
  other: { ...anyone, ...number, ...time },
} satisfies Record<string, Tables>

/** Where a body names its event. */
export const OF_BODY: Tables = { eventName: certain('event event.{name,type} event_type event_name type') }
