import { iso } from '../model/emulated-clock.ts'
import type { Inbound, InboundMedia } from '../model/thread.ts'
import type { About } from './event.ts'

type ReceivedShape = (message: Inbound, about: About) => object

/**
 * Shapes of `message.received` as comparable services use them: the specification shows no payload. In each, the
 * customer and the message's id are at paths that make them sure facts, and the time has a zone and milliseconds.
 */
export const RECEIVED_SHAPES: readonly ReceivedShape[] = [eventWithData, flat, camelCaseObject]

const EVENT = 'message.received'

function eventWithData(message: Inbound, { eventId, number, now }: About): object {
  return {
    id: eventId,
    event: EVENT,
    created_at: iso(now),
    data: {
      id: message.id,
      direction: 'INBOUND',
      message_type: message.kind,
      content: message.text ?? null,
      status: null,
      wa_message_id: message.upstreamId,
      from: message.customer,
      phone_number_id: number.id,
      contact: { name: message.name },
      ...(message.tapped && { interactive: { ...message.tapped } }),
      ...(message.quickReply && { button: { payload: message.quickReply.payload, text: message.quickReply.title } }),
      ...(message.media && serviceMedia(message.media)),
      ...(message.location && { location: { ...message.location } }),
      ...(message.contacts && { contacts: message.contacts.map(cardOf) }),
      ...(message.reaction && { reaction: { emoji: message.reaction.emoji, message_id: message.reaction.to } }),
      created_at: iso(message.at),
    },
  }
}

function flat(message: Inbound, { number }: About): object {
  return {
    message_id: message.id,
    wa_message_id: message.upstreamId,
    from: message.customer,
    to: number.display,
    phone_number_id: number.id,
    // Comparable services send an edit as a text with a flag.
    ...(message.kind === 'edited' ? { type: 'text', edited: true } : { type: WORDS[message.kind] ?? message.kind }),
    profile: { name: message.name },
    ...(message.text !== undefined && { text: { body: message.text } }),
    ...(message.tapped && { interactive: nestedTap(message.tapped) }),
    ...(message.quickReply && { button: { payload: message.quickReply.payload, text: message.quickReply.title } }),
    ...(message.media && { [message.kind]: mediaObject(message.media) }),
    ...(message.location && { location: { ...message.location } }),
    ...(message.contacts && { contacts: message.contacts.map(cardOf) }),
    ...(message.reaction && { reaction: { emoji: message.reaction.emoji, message_id: message.reaction.to } }),
    timestamp: String(message.at),
  }
}

function camelCaseObject(message: Inbound, { eventId, number }: About): object {
  return {
    id: eventId,
    type: EVENT,
    data: {
      object: {
        messageId: message.id,
        waMessageId: message.upstreamId,
        customerPhone: message.customer,
        phoneNumberId: number.id,
        messageType: message.kind.toUpperCase(),
        ...(message.text !== undefined && { content: message.text }),
        ...(message.tapped && { interactiveReply: { id: message.tapped.id, title: message.tapped.title } }),
        ...(message.quickReply && { quickReplyPayload: message.quickReply.payload }),
        ...(message.media && {
          mediaUrl: message.media.url,
          mediaMimeType: message.media.mime ?? null,
          mediaFilename: message.media.filename ?? null,
          mediaDurationMs: message.media.durationMs ?? null,
          caption: message.media.caption ?? null,
        }),
        ...(message.location && {
          latitude: message.location.latitude,
          longitude: message.location.longitude,
          locationName: message.location.name ?? null,
          locationAddress: message.location.address ?? null,
        }),
        ...(message.contacts && { contacts: message.contacts.map(cardOf) }),
        ...(message.reaction && { reactionEmoji: message.reaction.emoji, reactionMessageId: message.reaction.to }),
        senderName: message.name,
        receivedAt: iso(message.at),
      },
    },
  }
}

/** Other services' words for kinds. */
const WORDS: Readonly<Partial<Record<Inbound['kind'], string>>> = { unknown: 'unsupported', deleted: 'revoked' }

function cardOf({ name, phone }: { readonly name: string; readonly phone: string }): object {
  return { name: { formatted_name: name }, phones: [{ phone }] }
}

function nestedTap({ type, id, title }: NonNullable<Inbound['tapped']>): object {
  return { type, [type]: { id, title } }
}

function serviceMedia(media: InboundMedia): object {
  return {
    media_url: media.url,
    media_mime_type: media.mime ?? null,
    media_filename: media.filename ?? null,
    media_caption: media.caption ?? null,
    media_duration_ms: media.durationMs ?? null,
  }
}

function mediaObject(media: InboundMedia): object {
  return {
    url: media.url,
    ...(media.mime !== undefined && { mime_type: media.mime }),
    ...(media.filename !== undefined && { filename: media.filename }),
    ...(media.caption !== undefined && { caption: media.caption }),
    ...(media.durationMs !== undefined && { duration_ms: media.durationMs }),
  }
}
