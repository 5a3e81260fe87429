import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { InboundMediaKind } from '../../contract/message-kinds.ts'
import type { Writing } from '../state/customers.ts'

type Kind = InboundMediaKind | 'voice note'

/** Addresses as the service would give them: nobody fetches them here. */
const USUAL: Readonly<Record<Kind, { url: string; more: Omit<NonNullable<Writing['media']>, 'url'> }>> = {
  image: { url: 'https://media.example.com/photo.jpg', more: { kind: 'image', mime: 'image/jpeg' } },
  'voice note': {
    url: 'https://media.example.com/voice.ogg',
    more: { kind: 'audio', mime: 'audio/ogg', durationMs: 4_200 },
  },
  video: { url: 'https://media.example.com/film.mp4', more: { kind: 'video', mime: 'video/mp4' } },
  document: {
    url: 'https://media.example.com/receipt.pdf',
    more: { kind: 'document', mime: 'application/pdf', filename: 'receipt.pdf' },
  },
  audio: { url: 'https://media.example.com/song.mp3', more: { kind: 'audio', mime: 'audio/mpeg' } },
}

const KINDS = Object.keys(USUAL) as Kind[]

/** The customer sends a picture, a voice note, a document. */
export function MediaForm({ send, close }: { send: (writing: Writing) => void; close: () => void }) {
  const kind = useSignal<Kind>('image')
  const url = useSignal(USUAL.image.url)
  const caption = useSignal('')
  const choose = (next: Kind) => {
    if (url.value === USUAL[kind.value].url) url.value = USUAL[next].url
    kind.value = next
  }
  const sendIt = () => {
    send({ media: { ...USUAL[kind.value].more, url: url.value, ...(caption.value && { caption: caption.value }) } })
    close()
  }
  const first = useRef<HTMLSelectElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const keyed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    close()
  }
  return (
    <fieldset class="media-form" onKeyDown={keyed}>
      <legend>Send media as the customer</legend>
      <label>
        Kind
        <select ref={first} value={kind} onChange={(event) => choose(event.currentTarget.value as Kind)}>
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
        <input type="url" value={url} onInput={(event) => (url.value = event.currentTarget.value)} />
      </label>
      <div class="wide line">
        <button type="button" class="primary" onClick={sendIt}>
          Send {kind}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </fieldset>
  )
}
