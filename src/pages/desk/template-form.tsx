import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DeskAct, TemplateChoice } from '../../features/people/desk/desk-api.ts'
import { newKey } from './drafts.ts'
import { filledIn } from './lines.ts'
import { ask } from '../ui/ask.ts'
import { showError } from './state-of-desk.ts'
import { t } from './words.ts'

export type Filled = NonNullable<Extract<DeskAct, { act: 'write' }>['template']>

interface TemplateFormProps {
  readonly customer: string
  readonly isSending: boolean
  readonly send: (filled: Filled, key: string, done: () => void) => void
}

/** A person chooses an approved template, fills its blanks, and sees what the customer will read. */
export function TemplateForm({ customer, isSending, send }: TemplateFormProps) {
  const choices = useSignal<readonly TemplateChoice[] | undefined>(undefined)
  const name = useSignal('')
  const blanks = useSignal<readonly string[]>([])
  const key = useSignal(newKey())
  useEffect(() => {
    ask<{ rows: TemplateChoice[] }>(`api/templates/${customer}`).then(({ rows }) => (choices.value = rows), showError)
    // Do not run the effect again when the customer gets another handle: every handle stays valid.
  }, [])

  if (choices.value === undefined) return <p class="muted">{t('reading')}</p>
  if (choices.value.length === 0) return <p class="muted">{t('noTemplates')}</p>
  const chosen = choices.value.find((one) => nameOf(one) === name.value)
  const { header = 0, body = 0, text = '' } = chosen ?? {}
  const filled = blanks.value.filter((one) => one.trim() !== '').length
  const reset = (next: string) => {
    name.value = next
    blanks.value = []
    key.value = newKey()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!chosen || isSending || filled < header + body) return
    const parts = { header: blanks.value.slice(0, header), body: blanks.value.slice(header) }
    send({ name: chosen.name, language: chosen.language, ...parts }, key.value, () => reset(''))
  }

  return (
    <form class="stack template" onSubmit={submit}>
      <Choice of={choices.value} name={name.value} choose={reset} />
      {Array.from({ length: header + body }, (_, index) => (
        <label key={index}>
          {index < header ? t('headline', { number: index + 1 }) : t('blank', { number: index - header + 1 })}
          <input
            dir="auto"
            maxLength={1_024}
            value={blanks.value[index] ?? ''}
            onInput={({ currentTarget }) => {
              blanks.value = Object.assign([...blanks.value], { [index]: currentTarget.value })
              key.value = newKey()
            }}
          />
        </label>
      ))}
      {chosen && (
        <figure>
          <figcaption class="muted small">{t('preview')}</figcaption>
          <p class="bubble words" dir="auto">
            {filledIn(text, blanks.value.slice(header))}
          </p>
        </figure>
      )}
      <p class="line">
        <button type="submit" class="primary" disabled={!chosen || filled < header + body || isSending}>
          {t('send')}
        </button>
      </p>
    </form>
  )
}

interface ChoiceProps {
  readonly of: readonly TemplateChoice[]
  readonly name: string
  readonly choose: (name: string) => void
}

function Choice({ of, name, choose }: ChoiceProps) {
  return (
    <label>
      {t('template')}
      <select value={name} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{t('chooseTemplate')}</option>
        {of.map((one) => (
          <option key={nameOf(one)} value={nameOf(one)}>
            {nameOf(one)}
          </option>
        ))}
      </select>
    </label>
  )
}

function nameOf({ name, language }: TemplateChoice): string {
  return `${name} (${language})`
}
