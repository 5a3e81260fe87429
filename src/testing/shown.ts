import type { PhoneChoice } from '../emulator/model/thread.ts'
import { choicesOn } from '../emulator/model/thread.ts'
import type { ThreadItem } from '../emulator/model/thread.ts'

/** One message as the customer's phone shows it. Plain data. */
export interface Shown {
  /** `app`: from the bot or the app around it. */
  readonly from: 'customer' | 'app' | 'agent' | 'dashboard'
  /** `text`, `interactive`, `template`, `image` … */
  readonly kind: string
  /** All that is written in it; empty where nothing is. */
  readonly text: string
  /** Buttons, rows and quick replies, as `taps` takes them. */
  readonly options: { id: string; title: string }[]
  readonly template: { name: string; language: string; body: string[] } | undefined
  /** `sent`, `delivered`, `read` …; undefined for the customer's own. */
  readonly status: string | undefined
  /** Of a send that the service refused: it is not on the phone, and stands here to be seen. */
  readonly refused: { code: string } | undefined
}

/** Something that went out, to whomever: what arrived, and what was refused. */
export interface Sent extends Shown {
  /** The customer's digits. */
  readonly to: string
}

export function shownOf(item: ThreadItem): Shown {
  const { direction, by = 'app', kind, text, template, status, refused } = item
  return {
    from: direction === 'INBOUND' ? 'customer' : by,
    kind,
    text: text ?? '',
    options: choicesOn([item]).map(({ id, title }: PhoneChoice) => ({ id, title })),
    template: template && { name: template.name, language: template.language, body: [...template.body] },
    status: status ?? undefined,
    refused: refused && { code: refused.code ?? String(refused.status) },
  }
}

/** Whether it came from the business's side to the phone. */
export function isReply({ from, refused }: Shown): boolean {
  return from !== 'customer' && refused === undefined
}
