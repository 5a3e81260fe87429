import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Chat, DeskAct } from '../../admin/desk/desk-api.ts'
import { notice, toast } from '../ui/components/messages.ts'
import { AttachForm } from './attach.tsx'
import { type Draft, draftOf, emptyDraft, keepDraft, newKey } from './drafts.ts'
import { tellSent, tellTyping } from './present.ts'
import { isRefused } from './requests-of-desk.ts'
import { serverTime } from './service-clock.ts'
import { matchingSnippets, SnippetList } from './snippets.tsx'
import { carryOut, chat, desk, markSeen, myName, readChat, scrollToNewest, seen, showError } from './state-of-desk.ts'
import { type Filled, TemplateForm } from './template-form.tsx'
import { formatMoment, t } from './words.ts'

type Written = Extract<DeskAct, { act: 'write' }>
type Content = Pick<Written, 'text' | 'template' | 'media' | 'snippet'>

/** Whether free text arrives now, by the server's clock. */
function isWindowOpen({ window: { open, closesAt } }: Chat, now: number): boolean | 'unknown' {
  return closesAt === undefined ? open : open !== false && Date.parse(closesAt) > now
}

/** Always in sight below the chat. */
export function Composer({ open }: { open: Chat }) {
  const { id, customer } = open.row
  const isOpen = isWindowOpen(open, serverTime.value)
  const wantsTemplate = useSignal(false)
  const isSending = useSignal(false)
  /** What waits for an answer to "somebody has written since". */
  const unseen = useSignal<{ readonly content: Content; readonly key: string; readonly done: () => void } | undefined>(
    undefined,
  )

  /** The message is in the chat as one that did not arrive, where it can be sent again. */
  async function isShownAsFailed(before: Chat): Promise<boolean> {
    await readChat().catch(showError)
    const known = new Set(before.lines.map(({ id }) => id))
    const mine = chat.peek()?.lines.filter(({ id, by, who }) => !known.has(id) && by === 'person' && who === myName())
    return mine?.some(({ state }) => state === 'failed') === true
  }

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
      tellSent(customer)
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
            // The person has read the new messages, and decided.
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
          isSending={isSending.value}
          send={(filled: Filled, key, done) =>
            void send({ template: filled }, key, () => {
              done()
              wantsTemplate.value = false
            })
          }
        />
      ) : (
        <TextForm key={id} id={id} customer={customer} isSending={isSending.value} send={send} />
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
  // Not on the field: a second Enter must not send.
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

function TextForm({ id, customer, isSending, send }: TextFormProps) {
  const draft = useSignal<Draft>(draftOf(id))
  const isAttaching = useSignal(false)
  const chosen = useSignal(0)
  const isListHidden = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // On a phone the keyboard would hide the chat.
    if (matchMedia('(min-width: 900px)').matches) field.current?.focus()
  }, [])

  const { text, media, key } = draft.value
  const matching = isListHidden.value ? [] : matchingSnippets(text)
  const change = (next: Partial<Draft>) => {
    const { snippet: _, ...before } = draft.value
    draft.value = { ...before, ...next, key: newKey() }
    keepDraft(id, draft.value)
  }
  const choose = (nth: number) => {
    const found = matching[nth]
    if (!found) return
    change({ text: found.text, snippet: found.name })
    isListHidden.value = true
    field.current?.focus()
  }
  const isReady = text.trim() !== '' || media !== undefined
  const submit = () => {
    if (!isReady || isSending) return
    void send(contentOf(draft.value), key, () => {
      draft.value = emptyDraft()
      keepDraft(id, draft.value)
      isListHidden.value = false
      field.current?.focus()
    })
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (matching.length > 0 && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      chosen.value = (chosen.value + step + matching.length) % matching.length
    } else if (matching.length > 0 && event.key === 'Escape') isListHidden.value = true
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (matching.length > 0) choose(chosen.value)
      else submit()
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {matching.length > 0 && <SnippetList snippets={matching} chosen={chosen.value} choose={choose} />}
      {isAttaching.value && (
        <AttachForm
          close={() => {
            isAttaching.value = false
            field.current?.focus()
          }}
          attach={(added) => change({ media: added })}
        />
      )}
      {media && (
        <p class="chip attached">
          <bdi class="cut">{media.name ?? media.url}</bdi>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              const { media: _, ...rest } = draft.value
              draft.value = { ...rest, key: newKey() }
              keepDraft(id, draft.value)
            }}
          >
            {t('remove')}
          </button>
        </p>
      )}
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
          aria-controls={matching.length > 0 ? 'ready-answers' : undefined}
          aria-activedescendant={matching.length > 0 ? `ready-${chosen.value}` : undefined}
          onKeyDown={onKeyDown}
          onInput={({ currentTarget }) => {
            change({ text: currentTarget.value })
            chosen.value = 0
            isListHidden.value = false
            tellTyping(customer)
          }}
        />
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

/** A ready answer that nobody changed is sent as the app wrote it, with its buttons. */
function contentOf({ text, media, snippet }: Draft): Content {
  if (media) return { media: { ...media, ...(text.trim() !== '' && { caption: text }) } }
  return snippet === undefined ? { text } : { snippet }
}
