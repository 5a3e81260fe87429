/** The API client: one transport, retries by the table of the service's errors, typed errors. */
import type { Content, OneTimeCode, Template } from '../service/content.ts'
import { type ClientOptions, positiveMs, settingsFrom } from './client-options.ts'
import {
  type Accepted,
  type AttemptAccepted,
  attemptSend,
  type SendAttempt,
  sendMessage,
  type SendOptions,
} from './send-message.ts'
import {
  findTemplate,
  type IterateOptions,
  iterateTemplates,
  type ListOptions,
  listTemplates,
  type Page,
  type ReadOptions,
  type TemplateRow,
} from './template-list.ts'

export type { ClientOptions, TokenSource } from './client-options.ts'
export type { Accepted, AttemptAccepted, SendAttempt, SendOptions } from './send-message.ts'
export type { IterateOptions, ListOptions, Page, ReadOptions, TemplateRow } from './template-list.ts'
export { keyFrom } from './key-from.ts'
export { ApiError, NoAnswerError } from './api-errors.ts'

/** Both endpoints of the API, for the token's number (GEN-03). */
export interface Client {
  readonly messages: {
    /**
     * Sends a message, and retries by the service's error table with the same bytes and key.
     *
     *     await client.messages.send('255712000101', 'It is ready', { idempotencyKey: keyFrom('order', 7781, 'ready') })
     *
     * @throws `ApiError` if the service refuses or does not answer; SwitchhookError `content_invalid` if a limit is
     * broken, and `options_invalid`. None of them shows the token, the recipient, the text or a code.
     *
     * Every accepted send pauses the number's AI agent for that customer (GEN-06).
     */
    send(to: string, what: Content | Template | OneTimeCode, options: SendOptions): Promise<Accepted>
  }
  readonly templates: {
    /** One page, newest first (TPL-01). */
    list(options?: ListOptions): Promise<Page>
    /**
     * All templates, page by page, each page with its own retries. Leaving the loop ends the requests. The API has no
     * filter by category (TPL-06), so check `category` yourself.
     */
    iterate(options?: IterateOptions): AsyncIterable<TemplateRow>
    /** The template with that name in exactly that language. */
    find(options: { name: string; language: string } & ReadOptions): Promise<TemplateRow | undefined>
  }
  /**
   * Makes one attempt without retries, for callers that store their sends and retry them on their own schedule. Every
   * failure is an `ApiError`, even a missing token (`no_access_token`).
   */
  attempt(send: SendAttempt): Promise<AttemptAccepted>
}

/**
 * Makes a client. Checks its options at once and opens no connection. Printing or serialising it does not show the
 * token.
 *
 *     const client = createClient({ baseUrl: 'https://service.example', accessToken: process.env.TOKEN })
 *
 * @throws SwitchhookError `options_invalid`
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsFrom(options)
  return {
    messages: { send: (to, what, how) => sendMessage(settings, to, what, how) },
    templates: {
      list: (page) => listTemplates(settings, page),
      iterate: (pages) => iterateTemplates(settings, pages),
      find: (which) => findTemplate(settings, which),
    },
    async attempt({ timeout, ...send }) {
      const ms = timeout === undefined ? settings.timeout : positiveMs(timeout, 'timeout')
      return attemptSend(settings, send, { timeout: ms, token: settings.token })
    },
  }
}
