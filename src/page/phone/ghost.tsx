import { ruleOf } from '../../contract/errors.ts'
import type { ThreadItem } from '../wire/types.ts'
import { ruleInWords } from './refusal-words.ts'

const RETRY = {
  no: 'A retry does not help.',
  backoff: 'A retry helps: with back-off and the same key.',
  pause: 'A retry helps: after a short pause, with the same key.',
  cautious: 'A retry may help: a few attempts, with the same key.',
} as const

/** Why a message never arrived: what nobody else shows. */
export function Ghost({ refused }: { refused: NonNullable<ThreadItem['refused']> }) {
  const { status, code, message } = refused
  const rule = ruleInWords(code)
  return (
    <div class="refusal">
      <p>
        <b class="chip bad">
          ✕ {status} {code}
        </b>
      </p>
      <p>{message}</p>
      {rule !== undefined && (
        <p class="small">
          {rule.words} <span class="muted">({rule.rule})</span>
        </p>
      )}
      <p class="small">
        <b>{RETRY[ruleOf(status, code ?? undefined).retry]}</b>
      </p>
    </div>
  )
}
