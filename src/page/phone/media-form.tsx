import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { InboundMediaKind } from '../../contract/message-kinds.ts'
import type { CustomerMessage } from '../state/customers.ts'

type Kind = InboundMediaKind | 'voice note'

/** Example media: samples that the emulator serves, and a video of which there is none. */
const EXAMPLES: Readonly<Record<Kind, { url: string; more: Omit<NonNullable<CustomerMessage['media']>, 'url'> }>> = {
  image: { url: sample('picture.png'), more: { kind: 'image', mime: 'image/png' } },
  'voice note': {
    url: sample('voice.wav'),
    more: { kind: 'audio', mime: 'audio/wav', durationMs: 500 },
  },
  video: { url: 'https://media.example.com/film.mp4', more: { kind: 'video', mime: 'video/mp4' } },
  document: {
    url: sample('document.pdf'),
    more: { kind: 'document', mime: 'application/pdf', filename: 'document.pdf' },
  },
  audio: { url: sample('voice.wav'), more: { kind: 'audio', mime: 'audio/wav' } },
}

/** The address of a sample: the page comes from where they are. */
function sample(name: string): string {
  return `${location.origin}/media/sample/${name}`
}

const KINDS = Object.keys(EXAMPLES) as Kind[]

export function MediaForm({ send, close }: { send: (message: CustomerMessage) => void; close: () => void }) {
  const kind = useSignal<Kind>('image')
  const url = useSignal(EXAMPLES.image.url)
  const caption = useSignal('')
  const choose = (next: Kind) => {
    if (url.value === EXAMPLES[kind.value].url) url.value = EXAMPLES[next].url
    kind.value = next
  }
  const sendMedia = () => {
    send({ media: { ...EXAMPLES[kind.value].more, url: url.value, ...(caption.value && { caption: caption.value }) } })
    close()
  }
  const first = useRef<HTMLSelectElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    close()
  }
  return (
    <fieldset class="media-form" onKeyDown={onKeyDown}>
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
        <button type="button" class="primary" onClick={sendMedia}>
          Send {kind}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </fieldset>
  )
}
