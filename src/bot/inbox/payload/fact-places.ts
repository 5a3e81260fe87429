import { isRecord } from '../../../base/value.ts'
import type { EventName } from '../../../service/delivery.ts'
import type { JsonObject, Words } from './facts.ts'
import { joinPath, type Located, type PathNode, rootOf } from './locate.ts'
import {
  amountOf,
  changeOf,
  echoOf,
  emojiOf,
  flagOf,
  idOf,
  kindOf,
  knownStatusOf,
  latitudeOf,
  longitudeOf,
  mediaTypeOf,
  momentOf,
  nameOf,
  phoneOf,
  plainName,
  secondsOf,
  statusOf,
  templateStatusOf,
  textOf,
  userIdOf,
  webAddressOf,
  wordsOf,
} from './values.ts'

/** Reads a value of one form; undefined for any other value. `words`: the app's meanings of words in payloads. */
export type Form<T = unknown> = (value: unknown, words?: Words) => T | undefined

/**
 * `certain`: a fact found here is sure. `likely`: read after the certain places, and compared with them. `lastResort`:
 * may contain something else, such as our own number; read only if no other place has a value.
 */
export type Rank = 'certain' | 'likely' | 'lastResort'

export interface Place {
  /** In plain spelling, such as `customer.phone` or `errors[0].message`. `[only]`: the only element of a list. */
  readonly path: string
  readonly rank: Rank
  readonly form: Form
  /** If set, the place is only in the message object, or only in the objects around it. */
  readonly only?: 'message' | 'around'
}

/**
 * The places of one fact, the best first. `customer.{phone,number}` is short for two paths. `.id` is read only in the
 * message object, `^at` only in the objects around it.
 */
class Table<T> {
  readonly places: Place[] = []
  #form: Form

  constructor(form: Form<T>) {
    this.#form = form
  }

  certain = (paths: TemplateStringsArray, ...more: string[]) => this.#add('certain', String.raw(paths, ...more))
  likely = (paths: TemplateStringsArray, ...more: string[]) => this.#add('likely', String.raw(paths, ...more))
  lastResort = (paths: TemplateStringsArray, ...more: string[]) => this.#add('lastResort', String.raw(paths, ...more))

  /** Sets the form of the values at the places that follow. */
  as(form: Form<T>): this {
    this.#form = form
    return this
  }

  #add(rank: Rank, paths: string): this {
    for (const path of wordsOf(paths).flatMap(expandBraces)) {
      const only = path.startsWith('.') ? 'message' : path.startsWith('^') ? 'around' : undefined
      this.places.push({ path: only ? path.slice(1) : path, rank, form: this.#form, ...(only && { only }) })
    }
    return this
  }
}

function read<T>(form: Form<T>): Table<T> {
  return new Table(form)
}

function expandBraces(path: string): string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(path)
  if (!braces) return [path]
  const [, before = '', inside = '', after = ''] = braces
  return inside.split(',').flatMap((each) => expandBraces(before + each + after))
}

function any(value: unknown): unknown {
  return value
}

// A member of a fact, such as `media.url`, has its own table.

// ── customer and numbers ────────────────────────────────────────────────────────────────────────────

const people = `customer_number customer_phone customer_phone_number
  customer.{phone,phone_number,number,wa_id} contact.{phone,phone_number,number,wa_id}`

const conversation = 'conversation.{customer.phone,customer_phone,contact.phone_number,phone_number}'

const display = 'display_phone_number metadata.display_phone_number'

const writer = {
  customer: read(phoneOf) // A list of several contacts does not identify the author of the message.
    .certain`from from.{number,phone,phone_number,wa_id} ${people}`
    .likely`sender sender.{phone,phone_number,wa_id} external_number wa_id`.certain`contacts[only].wa_id`
    .likely`${conversation} msisdn phone`.lastResort`from.id chat_id phone_number`,
  userId: read(userIdOf).likely`from_user_id user_id contact.user_id bsuid`,
  ours: read(phoneOf).likely`to to.{number,phone} ${display}`,
}

const recipient = {
  customer: read(phoneOf)
    .likely`to to.{number,phone} recipient recipient.{phone,number,wa_id} recipient_id recipient_number`
    .likely`${people} ${conversation} wa_id phone`.lastResort`phone_number`,
  userId: read(userIdOf).likely`recipient_user_id user_id contact.user_id bsuid`,
  ours: read(phoneOf).likely`from from.{number,phone} ${display}`,
}

const anyone = {
  customer: read(phoneOf).certain`${people}`.likely`${conversation} wa_id msisdn phone`.lastResort`phone_number`,
  userId: read(userIdOf).likely`user_id contact.user_id bsuid`,
  ours: read(phoneOf).likely`${display}`,
}

const number = {
  numberId: read(idOf).certain`phone_number_id metadata.phone_number_id`
    .likely`business_phone_number_id {channel,account}.phone_number_id`.lastResort`number_id number.id line.id`,
}

const author = {
  name: read(nameOf)
    .certain`{contact,customer,profile}.name contact.profile.name {contact,customer,profile,sender}_name push_name
      .{from,sender}.name contacts[only].profile.name .notify_name ^contacts[only].name`,
  echo: read(echoOf).certain`{from_me,is_from_me,is_echo,echo} key.from_me message_echo direction message_direction
      .{source,sender_type}`,
}

// ── ids of the message ──────────────────────────────────────────────────────────────────────────────

const ids = {
  messageId: read(idOf).certain`message_id message.id .id`,
  upstreamId: read(idOf).certain`wa_message_id wamid wam_id whatsapp_message_id`
    .lastResort`platform_message_id upstream_id provider_message_id external_id message_uuid`,
}

// ── content ─────────────────────────────────────────────────────────────────────────────────────────

const files = '{media,image,audio,voice,video,document,sticker,file,attachment,attachments[0]}'
const latitudes = '{latitude,lat,degrees_latitude}'
const longitudes = '{longitude,lng,lon,long,degrees_longitude}'

const content = inMessage({
  kind: read(kindOf).certain`message_type type kind content.type content_type message.type`,
  text: read(textOf).certain`text text.{body,text} content content.{text,body} body body.text
    message message.text message_body payload.text`,
  // This fact has no place: the message's kind or other members decide it.
  'media.kind': read(kindOf),
  'media.url': read(webAddressOf).certain`media_url ${files}.{url,link,media_url} file_url content.url payload.url`,
  'media.mime': read(mediaTypeOf).certain`media_mime_type ${files}.{mime_type,mimetype,content_type} mime_type`,
  'media.filename': read(textOf).certain`media_filename ${files}.{filename,file_name,name}`,
  'media.caption': read(textOf).certain`media_caption caption ${files}.caption`,
  'media.durationMs': read(amountOf).certain`media_duration_ms duration_ms ${files}.duration_ms`.as(secondsOf)
    .certain`duration_seconds seconds voice.seconds`,
  // A duration is not guessed: one service gives seconds and another milliseconds.
  duration: read(any).certain`duration ${files}.duration`,
})

const signals = inMessage({
  'reaction.emoji': read(emojiOf).certain`reaction.{emoji,text,reaction,value} reaction emoji reaction_emoji`,
  'reaction.to': read(idOf).certain`reaction.{message_id,msg_id,msg_key.id,key.id,to,id,wa_message_id} reacted_to
    reacted_message_id reaction_message_id reaction_to target_message_id context.{message_id,id} quoted_message_id`,
  edited: read<string>(flagOf('edited')).certain`edited is_edited edited_at edit_date`.as(changeOf)
    .certain`action subtype sub_type`,
  deleted: read(flagOf('deleted'))
    .certain`deleted is_deleted deleted_at revoked is_revoked revoked_at unsent is_unsent`,
})

const place = inMessage({
  'location.latitude': read(latitudeOf)
    .certain`location.${latitudes} location.coordinates.${latitudes} ${latitudes} coordinates.${latitudes}`,
  'location.longitude': read(longitudeOf)
    .certain`location.${longitudes} location.coordinates.${longitudes} ${longitudes} coordinates.${longitudes}`,
  'location.name': read(textOf).certain`location.{name,title} location_name`,
  'location.address': read(textOf).certain`location.{address,description} location_address`,
})

const taps = inMessage({
  interactive: read(any).certain`interactive`,
  option: read(any).certain`interactive.{button_reply,list_reply,reply} button_reply list_reply
    interactive_button_reply interactive_reply reply selection selected option choice interactive`,
  optionId: read(any).certain`option_id selected_option_id selected_id button_id row_id list_row_id reply_id
    interactive_reply_id selected_button_id choice_id`,
  optionTitle: read(textOf).certain`option_title selected_title button_title button_text row_title reply_title`,
  quickReply: read(textOf).certain`button.payload quick_reply.payload quick_reply_payload button_payload
    button_reply.payload interactive.payload postback.payload postback postback_text payload`,
  quickReplyTitle: read(textOf).certain`button.text quick_reply.{text,title} button_text postback.title`,
})

// ── time, status, failure, template ─────────────────────────────────────────────────────────────────

const timesAround = '^{timestamp,occurred_at,created_at,at}'

const time = {
  at: read(momentOf).certain`.{timestamp,received_at,sent_at,occurred_at,created_at,send_time,time}`
    .likely`${timesAround}`,
}

const statusTime = {
  at: read(momentOf) // The time of the message's creation is not the time of its status.
    .certain`.{status_changed_at,status_at} .{sent,delivered,read,played,failed}_at .{timestamp,occurred_at}`
    .likely`.{updated_at,created_at} ${timesAround}`,
}

const changed = 'new_status message_status delivery_status'

const status = {
  status: read(statusOf).certain`${changed} .status .status.{value,name}`
    // At these places only a known word counts as the message's status.
    .as(knownStatusOf).lastResort`.{state,status_string,event} ^status`,
}

const failure = {
  failureReason: read(textOf)
    .certain`failure_reason failed_reason failed_detail error_message error error.{message,title,reason}
      errors[0].{error_data.details,message,title}`.lastResort`.{reason,description}`,
}

const template = inMessage({
  'template.id': read(idOf).certain`template_id template.id message_template_id id`,
  'template.name': read(textOf).certain`template_name template.name message_template_name name`,
  'template.language': read(textOf)
    .certain`template_language template.language message_template_language language language.code`,
  'template.status': read(templateStatusOf).certain`${changed} template.status status status.{value,name} state event`,
  'template.previousStatus': read(templateStatusOf)
    .certain`previous_status old_status template.{previous_status,old_status}`,
  'template.reason': read(textOf).certain`reason rejected_reason template.{reason,rejected_reason}`,
  'template.category': read(textOf).certain`category template.category message_template_category`,
})

/** Returns the tables with only the places in the message object. */
function inMessage<T extends Tables>(tables: T): T {
  const only = 'message'
  const own = ({ places }: Tables[string]) =>
    places.filter((one) => one.only !== 'around').map((one) => ({ ...one, only }))
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, { places: own(table) }])) as never
}

export type Tables = Readonly<Record<string, Pick<Table<unknown>, 'places'>>>

// ── which facts each event has ──────────────────────────────────────────────────────────────────────

const ofMessage = { ...number, ...ids, ...time }

/** The tables for an unknown event. */
const OTHER = { ...anyone, ...number, ...time }

export const BY_EVENT = {
  'message.received': { ...ofMessage, ...writer, ...author, ...content, ...signals, ...place, ...taps },
  'message.status': { ...ofMessage, ...recipient, ...status, ...statusTime, ...failure },
  'message.sent': { ...ofMessage, ...recipient, ...content, ...inMessage({ ...status, ...failure }) },
  'template.status': { ...number, ...template, ...time },
  'account.error': { ...anyone, ...number, ...time, ...failure },
  'conversation.escalated': OTHER,
  'order.paid': OTHER,
} satisfies Record<EventName, Tables>

/** Where a body names its event. */
const OF_BODY = { eventName: read(any).certain`event event.{name,type} event_type event_name type` }

type All = (typeof BY_EVENT)['message.received'] &
  Omit<(typeof BY_EVENT)['message.status'], keyof (typeof BY_EVENT)['message.received']> &
  typeof template &
  typeof OF_BODY

export type TableName = keyof All

export type ValueOf<N extends TableName> = All[N] extends Table<infer T> ? T : never

// ── collecting the values at the places ─────────────────────────────────────────────────────────────

/** A value at a place of a table. Never null or the empty string. */
export interface Hit {
  readonly place: PlaceOfTable
  readonly value: unknown
  /** The path in the payload's own spelling. */
  readonly path: string
  /** True in the message object, false in an object around it. */
  readonly inMessage: boolean
  /** False if the value belongs to a batch as a whole. */
  readonly ownMessage: boolean
  /** The lowest is read first: nearest to the message, then by the table, places of the last resort at the end. */
  readonly order: number
}

export type Hits = { readonly [N in TableName]: readonly Hit[] }

interface PlaceOfTable extends Omit<Place, 'only'> {
  readonly table: TableName
  readonly order: number
}

export function collect(message: Located, event: string): Hits {
  return collectBy(message.node, COMPILED.get(event) ?? OTHERS)
}

/** The values where a body may name its event. */
export function collectEventNames(body: JsonObject): readonly Hit[] {
  return collectBy(rootOf(body), NAMED).eventName
}

const NO_HITS = Object.fromEntries(
  [...Object.values(BY_EVENT), OF_BODY].flatMap((tables) => Object.keys(tables).map((table) => [table, []])),
) as unknown as Hits

const PER_OBJECT = 1_000

function collectBy(message: PathNode, tables: Roots): Hits {
  const hits = { ...NO_HITS } as { [N in TableName]: Hit[] }
  const found = new Set<TableName>()
  let distance = 0
  let inMessage = true
  let ownMessage = true

  const walk = (object: JsonObject, below: Branch['below'], path: string) => {
    for (const key of Object.keys(object)) {
      const branch = below?.get(plainName(key))
      if (branch === undefined) continue
      const value = object[key]
      if (value !== null && value !== '') visit(branch, value, joinPath(path, key))
    }
  }
  const visit = (branch: Branch, value: unknown, path: string) => {
    for (const place of branch.here) {
      const hit = { place, value, path, inMessage, ownMessage, order: place.order + distance }
      if (found.has(place.table)) hits[place.table].push(hit)
      else hits[place.table] = [hit]
      found.add(place.table)
    }
    if (Array.isArray(value)) {
      const below = (value.length === 1 ? branch.listOnly : undefined) ?? branch.listFirst
      const element: unknown = value[0]
      if (below && element !== null && element !== undefined) visit(below, element, `${path}[0]`)
    } else if (branch.below && isRecord(value)) walk(value, branch.below, path)
  }

  for (let node: PathNode | undefined = message; node; node = node.parent) {
    walk(node.object, (inMessage ? tables.message : tables.around).below, node.path)
    inMessage = false
    if ((node.siblings ?? 1) > 1) ownMessage = false
    distance += PER_OBJECT
  }
  for (const table of found) hits[table].sort((a, b) => a.order - b.order)
  return hits
}

// ── the places of an event as a tree ────────────────────────────────────────────────────────────────

/** The places as a tree of members, so that one pass over an object finds them all. */
interface Branch {
  readonly here: PlaceOfTable[]
  below?: Map<string, Branch>
  listFirst?: Branch
  listOnly?: Branch
}

type Roots = Readonly<Record<'message' | 'around', Branch>>

const LAST_RESORT = 1_000_000

function compile(tables: Tables): Roots {
  const roots: Roots = { message: { here: [] }, around: { here: [] } }
  for (const [name, { places }] of Object.entries(tables))
    for (const [index, { path, rank, form, only }] of places.entries()) {
      const order = rank === 'lastResort' ? index + LAST_RESORT : index
      const place = { table: name as TableName, path, rank, form, order }
      for (const where of ['message', 'around'] as const)
        if ((only ?? where) === where) branchAt(roots[where], path).here.push(place)
    }
  return roots
}

function branchAt(root: Branch, path: string): Branch {
  let branch = root
  for (const step of path.split(/\.|(?=\[)/)) {
    if (step === '[0]') branch = branch.listFirst ??= { here: [] }
    else if (step === '[only]') branch = branch.listOnly ??= { here: [] }
    else {
      const below: Map<string, Branch> = (branch.below ??= new Map())
      const child = below.get(step) ?? { here: [] }
      below.set(step, child)
      branch = child
    }
  }
  return branch
}

const COMPILED = new Map(Object.entries(BY_EVENT).map(([event, tables]) => [event, compile(tables)]))
const OTHERS = compile(OTHER)
const NAMED = compile(OF_BODY)
