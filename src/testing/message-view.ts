import { optionsInvalid } from '../base/errors.ts'
import { choicesOn, type PhoneChoice, type ThreadItem } from '../emulator/model/thread.ts'

/** One message as the customer's phone shows it. Plain data. */
export interface Shown {
  /** `app`: from the bot or the app around it. */
  readonly from: 'customer' | 'app' | 'agent' | 'dashboard'
  /** `text`, `interactive`, `template`, `image` … */
  readonly kind: string
  /** The whole text; empty if the message has none. */
  readonly text: string
  /** Buttons, rows and quick replies. Pass an id or a title to `taps`. */
  readonly options: { id: string; title: string }[]
  readonly template: { name: string; language: string; body: string[] } | undefined
  readonly media: { kind: string; url: string; filename: string | undefined; caption: string | undefined } | undefined
  readonly link: { title: string; url: string } | undefined
  /** `sent`, `delivered`, `read` …; undefined for the customer's own messages. */
  readonly status: string | undefined
  /** Set if the service refused the send: it is listed, but is not on the phone. */
  readonly refused: { code: string } | undefined
}

/** A message that the business sent to a customer, arrived or refused. */
export interface Sent extends Shown {
  /** The customer's digits. */
  readonly to: string
}

/** Turns an item of the emulator's thread into the message that a test sees. */
export function messageView(item: ThreadItem): Shown {
  const { direction, by = 'app', kind, text, template, media, interactive, status, refused } = item
  const isSent = direction === 'OUTBOUND'
  const link = interactive && 'cta' in interactive ? interactive.cta : undefined
  return {
    from: isSent ? by : 'customer',
    kind,
    text: text ?? '',
    options: isSent ? choicesOn([item]).map(({ id, title }) => ({ id, title })) : [],
    template: template && { name: template.name, language: template.language, body: [...template.body] },
    media: media && { kind: media.kind, url: media.url, filename: media.filename, caption: media.caption },
    link: link && { title: link.display_text, url: link.url },
    status: status ?? undefined,
    refused: refused && { code: refused.code ?? String(refused.status) },
  }
}

/** True for a message from the business that reached the phone. */
export function isReply({ from, refused }: Shown): boolean {
  return from !== 'customer' && refused === undefined
}

/**
 * Finds an option by its id or its title (nobody knows a signed id). If several match, the newest wins.
 *
 * @throws SwitchhookError `options_invalid`, naming the options that the phone shows.
 */
export function optionId(option: string, choices: readonly PhoneChoice[]): string {
  const found = choices.find(({ id }) => id === option) ?? choices.find(({ title }) => title === option)
  if (found) return found.id
  const titles = choices.map(({ title }) => `"${title}"`).join(', ') || 'nothing'
  throw optionsInvalid(`the phone shows no option "${option}"; it shows: ${titles}`)
}
