import { signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { InboundMediaKind } from '../../../service/message-kinds.ts'
import type { LONGEST_FILE_BYTES } from '../../../emulator/http/messages.ts'
import { runAction } from '../../ui/components/messages.ts'
import type { CustomerMessage } from '../state/customer-list.ts'
import { change } from '../wire/control.ts'

type Media = NonNullable<CustomerMessage['media']>

type Kind = InboundMediaKind | 'voice note'

/** Example media. A file that the bot can download is attached instead. */
export const EXAMPLES: Readonly<Record<Kind, Media>> = {
  image: { kind: 'image', url: example('picture.png'), mime: 'image/png' },
  'voice note': { kind: 'audio', url: example('voice.ogg'), mime: 'audio/ogg', durationMs: 500 },
  video: { kind: 'video', url: example('film.mp4'), mime: 'video/mp4' },
  document: { kind: 'document', url: example('document.pdf'), mime: 'application/pdf', filename: 'document.pdf' },
  audio: { kind: 'audio', url: example('song.mp3'), mime: 'audio/mpeg' },
}

function example(name: string): string {
  return `https://media.example.com/${name}`
}

const KINDS = Object.keys(EXAMPLES) as Kind[]

export const attached = signal<Media | undefined>(undefined)

/** The type is the emulator's own constant, so the two cannot differ. */
const FILE_LIMIT: typeof LONGEST_FILE_BYTES = 5_242_880

function attachFile(file: File | undefined): void {
  if (file === undefined) return
  runAction(async () => {
    if (file.size > FILE_LIMIT)
      throw new Error(
        `${file.name} has more than 5 MB, and the emulator accepts no such file. Enter an address instead.`,
      )
    attached.value = await change<Media>('POST', 'media', { name: file.name, base64: await base64Of(file) })
  })
}

/** The bytes that become text at once, because a function takes a limited number of arguments. */
const PART_BYTES = 8_192

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    text += String.fromCodePoint(...bytes.subarray(at, at + PART_BYTES))
  return btoa(text)
}

interface MediaFormProps {
  readonly media: Media
  readonly send: (message: CustomerMessage) => void
  readonly close: () => void
}

export function MediaForm({ media, send, close }: MediaFormProps) {
  const caption = useSignal('')
  const chosen = KINDS.find((kind) => (kind === 'voice note' ? media.durationMs !== undefined : kind === media.kind))
  const sendMedia = () => {
    send({ media: { ...media, ...(caption.value && { caption: caption.value }) } })
    close()
  }
  const first = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  // Another customer's phone starts without it.
  useEffect(() => () => void (attached.value = undefined), [])
  return (
    <fieldset class="media-form">
      <legend>Send media as the customer</legend>
      <label class="wide">
        File
        <input ref={first} type="file" onChange={({ currentTarget }) => attachFile(currentTarget.files?.[0])} />
      </label>
      <label>
        Kind
        <select value={chosen} onChange={(event) => (attached.value = EXAMPLES[event.currentTarget.value as Kind])}>
          {KINDS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Caption
        <input value={caption} onInput={(event) => (caption.value = event.currentTarget.value)} />
      </label>
      <label class="wide">
        Address
        <input
          type="url"
          value={media.url}
          onInput={({ currentTarget }) => (attached.value = { ...media, url: currentTarget.value })}
        />
      </label>
      <div class="wide line">
        <button type="button" class="primary" onClick={sendMedia}>
          Send {chosen}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </fieldset>
  )
}
