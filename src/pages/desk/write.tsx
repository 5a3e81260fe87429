import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Chat, DeskAct } from '../../features/people/desk/desk-api.ts'
import { notice, toast } from '../ui/components/messages.ts'
import { AttachForm } from './attach.tsx'
import { type Draft, draftOf, emptyDraft, keepDraft, newKey } from './drafts.ts'
import { reportSent, reportTyping } from './present.ts'
import { isRefused } from './requests-of-desk.ts'
import { serverTime } from './service-clock.ts'
import { SnippetList, useSnippets } from './snippets.tsx'
import { carryOut, chat, desk, markSeen, myName, readChat, scrollToNewest, seen, showError } from './state-of-desk.ts'
import { type Filled, TemplateForm } from './template-form.tsx'
import { formatMoment, t } from './words.ts'

type Written = Extract<DeskAct, { act: 'write' }>
type Content = Pick<Written, 'text' | 'template' | 'media' | 'snippet'>

/** `now`: the service time. */
function isWindowOpen({ window: { open, closesAt } }: Chat, now: number): boolean | 'unknown' {
  return closesAt === undefined ? open : open !== false && Date.parse(closesAt) > now
}

/** True if the chat shows the new message as failed. The person can then send it again from its line. */
async function isShownAsFailed(before: Chat): Promise<boolean> {
  await readChat().catch(showError)
  const known = new Set(before.lines.map(({ id }) => id))
  const mine = chat.peek()?.lines.filter(({ id, by, who }) => !known.has(id) && by === 'person' && who === myName())
  return mine?.some(({ state }) => state === 'failed') === true
}

function useSending(open: Chat) {
  const { customer } = open.row
  const isSending = useSignal(false)
  /** The message that is not sent until the person confirms that they have read newer ones. */
  const unseen = useSignal<{ readonly content: Content; readonly key: string; readonly done: () => void } | undefined>(
    undefined,
  )

  async function send(content: Content, key: string, done: () => void, confirmed = false): Promise<void> {
    if (isSending.peek()) return
    isSending.value = true
    try {
      const given: DeskAct = { act: 'write', customer, key, seen: seen.peek(), confirmed, ...content }
      const count = await carryOut(given)
      if (count === 0) toast.value = t('alreadySent')
      notice.value = ''
      unseen.value = undefined
      done()
      scrollToNewest()
      reportSent(customer)
    } catch (error) {
      if (!isRefused(error, 'unseen')) {
        showError(error)
        if (isRefused(error) && (await isShownAsFailed(open))) done()
      } else {
        await readChat().catch(showError)
        scrollToNewest()
        unseen.value = { content, key, done }
      }
    } finally {
      isSending.value = false
    }
  }

  return { send, isSending: isSending.value, unseen }
}

/** The field for a message, which stays in sight below the chat. */
export function Composer({ open }: { open: Chat }) {
  const { id, customer } = open.row
  const isOpen = isWindowOpen(open, serverTime.value)
  const wantsTemplate = useSignal(false)
  const { send, isSending, unseen } = useSending(open)
  const usesTemplate = isOpen === false || wantsTemplate.value
  return (
    <section class="composer bar" aria-label={t('write')}>
      <p class="small line window-line">
        <span class={isOpen === false ? 'warn-text' : 'muted'}>{windowText(open, isOpen)}</span>
        <span class="fill" />
        {isOpen !== false && (
          <button type="button" class="quiet small" onClick={() => (wantsTemplate.value = !wantsTemplate.value)}>
            {t(usesTemplate ? 'useText' : 'useTemplate')}
          </button>
        )}
      </p>
      {unseen.value && (
        <UnseenQuestion
          yes={() => {
            const { content, key, done } = unseen.value as NonNullable<typeof unseen.value>
            markSeen()
            void send(content, key, done, true)
          }}
          no={() => {
            unseen.value = undefined
            markSeen()
          }}
        />
      )}
      {usesTemplate ? (
        <TemplateForm
          customer={customer}
          isSending={isSending}
          send={(filled: Filled, key, done) =>
            void send({ template: filled }, key, () => {
              done()
              wantsTemplate.value = false
            })
          }
        />
      ) : (
        <TextForm key={id} id={id} customer={customer} isSending={isSending} send={send} />
      )}
    </section>
  )
}

function windowText({ window: { closesAt } }: Chat, isOpen: boolean | 'unknown'): string {
  if (isOpen === false) return t('closed')
  if (closesAt === undefined) return t('freeUnknown')
  return t('freeUntil', { time: formatMoment(closesAt, serverTime.value) })
}

function UnseenQuestion({ yes, no }: { yes: () => void; no: () => void }) {
  const change = useRef<HTMLButtonElement>(null)
  // Take the focus from the field: a second Enter must not send.
  useEffect(() => change.current?.focus(), [])
  const answer = (decide: () => void) => {
    decide()
    document.querySelector<HTMLElement>('.composer textarea')?.focus()
  }
  return (
    <div class="card warn stack" role="alert">
      <p>
        <b>{t('unseenTitle')}</b> {t('unseenText')}
      </p>
      <p class="line">
        <button ref={change} type="button" onClick={() => answer(no)}>
          {t('change')}
        </button>
        <button type="button" onClick={() => answer(yes)}>
          {t('sendAnyway')}
        </button>
      </p>
    </div>
  )
}

interface TextFormProps {
  readonly id: string
  readonly customer: string
  readonly isSending: boolean
  readonly send: (content: Content, key: string, done: () => void) => Promise<void>
}

function useDraft(id: string) {
  const draft = useSignal<Draft>(draftOf(id))
  const set = (next: Draft) => {
    draft.value = next
    keepDraft(id, next)
  }
  return {
    draft,
    change: (next: Partial<Draft>) => {
      const { snippet: _, ...before } = draft.value
      set({ ...before, ...next, key: newKey() })
    },
    removeMedia: () => {
      const { media: _, ...rest } = draft.value
      set({ ...rest, key: newKey() })
    },
    clear: () => set(emptyDraft()),
  }
}

function TextForm({ id, customer, isSending, send }: TextFormProps) {
  const { draft, change, removeMedia, clear } = useDraft(id)
  const { text, media, key } = draft.value
  const isAttaching = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const toField = () => field.current?.focus()
  const ready = useSnippets(text, (found) => {
    change({ text: found.text, snippet: found.name })
    toField()
  })
  const isReady = text.trim() !== '' || media !== undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isReady || isSending) return
    void send(contentOf(draft.value), key, () => {
      clear()
      ready.show()
      toField()
    })
  }
  const write = (written: string) => {
    change({ text: written })
    ready.show()
    reportTyping(customer)
  }

  return (
    <form onSubmit={submit}>
      {ready.snippets.length > 0 && <SnippetList {...ready} />}
      {isAttaching.value && (
        <AttachForm
          close={() => {
            isAttaching.value = false
            toField()
          }}
          attach={(added) => change({ media: added })}
        />
      )}
      {media && <Attached media={media} remove={removeMedia} />}
      <div class="field">
        <button
          type="button"
          class="attach"
          aria-label={t('attach')}
          aria-expanded={isAttaching.value}
          onClick={() => (isAttaching.value = !isAttaching.value)}
        >
          +
        </button>
        <Field field={field} text={text} isSending={isSending} ready={ready} write={write} submit={submit} />
        <button type="submit" class="primary" disabled={!isReady}>
          {t('send')}
        </button>
      </div>
      <p class="small muted hint">
        {(desk.value?.snippets.length ?? 0) > 0 && t('snippetHint')} <span class="keys">{t('newLineHint')}</span>
      </p>
    </form>
  )
}

function Attached({ media, remove }: { media: NonNullable<Draft['media']>; remove: () => void }) {
  return (
    <p class="chip attached">
      <bdi class="cut">{media.name ?? media.url}</bdi>
      <button type="button" class="quiet" onClick={remove}>
        {t('remove')}
      </button>
    </p>
  )
}

interface FieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly isSending: boolean
  readonly ready: ReturnType<typeof useSnippets>
  readonly write: (text: string) => void
  readonly submit: (event: Event) => void
}

function Field({ field, text, isSending, ready, write, submit }: FieldProps) {
  const hasList = ready.snippets.length > 0
  useEffect(() => {
    // Do not focus the field on a phone: the keyboard would hide the chat.
    if (matchMedia('(min-width: 900px)').matches) field.current?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (hasList && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
      event.preventDefault()
      ready.move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (hasList && event.key === 'Escape') ready.hide()
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (hasList) ready.choose()
      else submit(event)
    }
  }
  return (
    <textarea
      ref={field}
      rows={2}
      dir="auto"
      aria-label={t('message')}
      placeholder={t('message')}
      enterkeyhint="send"
      maxLength={4_096}
      readOnly={isSending}
      value={text}
      aria-autocomplete="list"
      aria-controls={hasList ? 'ready-answers' : undefined}
      aria-activedescendant={hasList ? `ready-${ready.chosen}` : undefined}
      onKeyDown={onKeyDown}
      onInput={({ currentTarget }) => write(currentTarget.value)}
    />
  )
}

/** A ready answer that nobody has changed is sent by its name, so with its buttons. */
function contentOf({ text, media, snippet }: Draft): Content {
  if (media) return { media: { ...media, ...(text.trim() !== '' && { caption: text }) } }
  return snippet === undefined ? { text } : { snippet }
}
