import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CustomerView, TemplateChoice } from '../../admin/api.ts'
import type { Act } from '../../admin/requests.ts'
import { WINDOW_MS } from '../../service/endpoints.ts'
import { formatSpan } from '../ui/text/time.ts'
import { carryOut } from './ask-first.tsx'
import { mayWrite } from './server.ts'
import { readAgain } from './shown.tsx'

/** How long free texts may still be sent, in milliseconds; 0 if the window is closed or not known. */
export function windowLeft({ lastInboundAt }: CustomerView): number {
  return lastInboundAt === undefined ? 0 : Math.max(0, Date.parse(lastInboundAt) + WINDOW_MS - Date.now())
}

/** `crypto.randomUUID` is absent on a page without https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}

/**
 * Where a person writes to a customer whom they have. A draft stays if the take-over ends meanwhile: sending it takes the
 * customer over again.
 *
 * @param customer the handle in the address, which stays the same.
 */
export function Composer({ customer, value }: { customer: string; value: CustomerView }) {
  const text = useSignal('')
  const chosen = useSignal('')
  const parameters = useSignal<readonly string[]>([])
  // A repeated request has the same key. Another message has another one.
  const key = useSignal(newKey())
  const isSending = useSignal(false)
  useEverySecond()
  if (!mayWrite.value || (value.takenOver?.by !== 'person' && text.value === '')) return null

  const left = windowLeft(value)
  const template = left > 0 ? undefined : value.templates?.find((one) => nameOf(one) === chosen.value)
  const edit = (change: () => void) => {
    change()
    key.value = newKey()
  }
  const isReady =
    left > 0
      ? text.value.trim() !== ''
      : template !== undefined &&
        template.header + template.body === parameters.value.filter((one) => one !== '').length

  async function send(): Promise<void> {
    if (!isReady || isSending.peek()) return
    isSending.value = true
    const content = template ? { template: filled(template, parameters.value) } : { text: text.value }
    const act: Act = { act: 'write', customer, key: key.value, seen: value.newest, ...content }
    const isDone = await carryOut(act, (count) =>
      count === 0 ? 'It was sent before.' : 'The message is in the outbox.',
    )
    isSending.value = false
    if (!isDone) return
    edit(() => {
      text.value = ''
      chosen.value = ''
      parameters.value = []
    })
    readAgain()
  }

  return (
    <form
      class="composer stack"
      aria-label="Write to the customer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {left > 0 ? (
        <label>
          Message
          <textarea
            rows={3}
            maxLength={4_096}
            value={text.value}
            onInput={({ currentTarget }) => edit(() => (text.value = currentTarget.value))}
          />
        </label>
      ) : (
        <TemplateFields
          choices={value.templates ?? []}
          chosen={template}
          parameters={parameters.value}
          choose={(name) =>
            edit(() => {
              chosen.value = name
              parameters.value = []
            })
          }
          fill={(index, given) =>
            edit(() => (parameters.value = Object.assign([...parameters.value], { [index]: given })))
          }
        />
      )}
      <p class="line">
        <button type="submit" class="primary" disabled={!isReady || isSending.value}>
          Send
        </button>
        <span class="muted">
          {left > 0
            ? `The window closes in ${formatSpan(left)}.`
            : 'The 24-hour window is closed: only an approved template can be sent.'}
          {value.takenOver === undefined && ' Sending takes the customer over.'}
        </span>
      </p>
    </form>
  )
}

interface TemplateFieldsProps {
  readonly choices: readonly TemplateChoice[]
  readonly chosen: TemplateChoice | undefined
  readonly parameters: readonly string[]
  readonly choose: (name: string) => void
  readonly fill: (index: number, value: string) => void
}

function TemplateFields({ choices, chosen, parameters, choose, fill }: TemplateFieldsProps) {
  if (choices.length === 0)
    return (
      <p class="muted">This number has no template that can be sent from here, or their list cannot be read now.</p>
    )
  const { header = 0, body = 0, text } = chosen ?? {}
  return (
    <>
      <label>
        Template
        <select value={chosen ? nameOf(chosen) : ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">Choose one</option>
          {choices.map((one) => (
            <option key={nameOf(one)}>{nameOf(one)}</option>
          ))}
        </select>
      </label>
      {text !== undefined && <p>{text}</p>}
      {Array.from({ length: header + body }, (_, index) => (
        <label key={index}>
          {index < header ? `Header ${index + 1}` : `Parameter ${index - header + 1}`}
          <input
            maxLength={1_024}
            value={parameters[index] ?? ''}
            onInput={({ currentTarget }) => fill(index, currentTarget.value)}
          />
        </label>
      ))}
    </>
  )
}

function nameOf({ name, language }: TemplateChoice): string {
  return `${name} (${language})`
}

function filled({ name, language, header }: TemplateChoice, parameters: readonly string[]) {
  return { name, language, header: parameters.slice(0, header), body: parameters.slice(header) }
}

function useEverySecond(): void {
  const tick = useSignal(0)
  void tick.value
  useEffect(() => {
    const timer = setInterval(() => tick.value++, 1_000)
    return () => clearInterval(timer)
  }, [])
}
